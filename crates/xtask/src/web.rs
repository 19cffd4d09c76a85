//! `cargo xtask web`: the application as a folder of static files, `target/web`: the pages, and the module of WebAssembly.
//!
//! The target wasm32-unknown-unknown comes with the compiler, if rustup has installed it; or it is built from the sources of
//! the standard library that lie beside another compiler. That one is named by `DALSEGNO_WASM_TOOLCHAIN`, a folder into which
//! packages of Debian were unpacked; `.ci/wasm` makes it. Building the standard library is not stable, hence
//! `RUSTC_BOOTSTRAP`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

const TARGET: &str = "wasm32-unknown-unknown";

/// The stack in the module's own memory; the host has another one.
const STACK: &str = "-C link-arg=-zstack-size=67108864";

/// Builds the folder; what it takes.
pub(crate) fn run(root: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = root.join("target/wasm");
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["build", "--profile", "wasm", "-p", "dalsegno-wasm"])
        .args(["--target", TARGET])
        .env("CARGO_TARGET_DIR", &built)
        .env("RUSTFLAGS", STACK);
    if let Some(folder) = std::env::var_os("DALSEGNO_WASM_TOOLCHAIN") {
        unpacked(&mut command, Path::new(&folder))?;
    } else if !has_target() {
        bail!(
            "the compiler has no {TARGET}: `rustup target add {TARGET}`, or name a folder with another one in DALSEGNO_WASM_TOOLCHAIN"
        );
    }
    let status = command.status().context("cargo does not start")?;
    if !status.success() {
        bail!("the module was not built");
    }
    let module = built.join(TARGET).join("wasm/dalsegno_wasm.wasm");
    let module = fs::read(&module).with_context(|| format!("no {}", module.display()))?;
    let folder = root.join("target/web");
    let _ = fs::remove_dir_all(&folder);
    for path in dalsegno_web::paths() {
        let (_, bytes) = dalsegno_web::file(path).context("a file of the pages is missing")?;
        let bytes = if path == "index.html" {
            without_server(bytes)?
        } else {
            bytes.to_vec()
        };
        write(&folder.join(path), &bytes)?;
    }
    write(&folder.join("dalsegno.wasm"), &module)?;
    println!("target/web: dalsegno.wasm has {} bytes", module.len());
    Ok(())
}

/// The page that the worker answers, not a server.
fn without_server(page: &[u8]) -> Result<Vec<u8>> {
    let named = |backend: &str| format!("name=\"dalsegno-backend\" content=\"{backend}\"");
    let page = std::str::from_utf8(page)?;
    let changed = page.replacen(&named("serve"), &named("wasm"), 1);
    if changed == page {
        bail!("index.html does not name its back end");
    }
    Ok(changed.into_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether the compiler that cargo takes has the target.
fn has_target() -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(compiler)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output();
    let Ok(told) = asked else { return false };
    Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_dir()
}

/// Takes the compiler, the linker and the sources of a folder.
fn unpacked(command: &mut Command, folder: &Path) -> Result<()> {
    let programs = folder.join("usr/bin");
    let compiler = programs.join("rustc");
    if !compiler.is_file() {
        bail!("{} is missing", compiler.display());
    }
    let linker = linker(&programs)?;
    command
        .args(["-Z", "build-std=std,panic_abort"])
        .env("RUSTC", compiler)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("LD_LIBRARY_PATH", folder.join("usr/lib/x86_64-linux-gnu"))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    Ok(())
}

/// The linker of a folder: its name ends with the version of LLVM.
fn linker(programs: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(programs)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("wasm-ld") {
            found.push(path);
        }
    }
    found.sort();
    found
        .pop()
        .with_context(|| format!("no wasm-ld in {}", programs.display()))
}
