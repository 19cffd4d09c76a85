//! Tells the linker of macOS that Python has the symbols that are missing; other linkers do not ask.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
