"""The application, with each of its back ends: the module of WebAssembly in a worker, and `dalsegno serve`."""

import os
import re
import subprocess
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from conftest import PROGRAM, ROOT, run, tokens
from playwright.sync_api import expect

FOLDER = ROOT / "target/web"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def static_host():
    """A host of static files, as anybody might have one."""
    if not (FOLDER / "dalsegno.wasm").exists():
        message = "target/web is missing: cargo xtask web"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=FOLDER))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def own_server():
    child = subprocess.Popen([PROGRAM, "serve"], stdout=subprocess.PIPE, text=True)
    yield child.stdout.readline().strip()
    child.terminate()
    assert child.wait(timeout=20) == 0


@pytest.fixture(params=["wasm", "serve"])
def app(request, open_page):
    """The application, opened and connected."""
    address = request.getfixturevalue({"wasm": "static_host", "serve": "own_server"}[request.param])

    def open_(**more):
        page = open_page(address, offline=False, **more)
        page.wait_for_selector("html[data-ready=true]")
        assert {urlsplit(url).netloc for url in page.requests} == {urlsplit(address).netloc}
        return page

    open_.backend = request.param
    return open_


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A net with far too many states to be seen one by one."""
    path = tmp_path_factory.mktemp("nets") / "philosophers-40.pnml"
    path.write_text(run("generate", "philosophers", "40"))
    return path


def ask(page, *properties):
    """Puts properties in the place of those that are there."""
    rows = page.locator(".asked li")
    while rows.count():
        rows.first.get_by_role("button").click()
    for logic, text in properties:
        page.get_by_role("button", name="Add a property").click()
        rows.last.get_by_label("logic").select_option(logic)
        rows.last.get_by_label("formula").fill(text)


def check(page):
    page.get_by_role("button", name="Check", exact=True).click()


def test_an_example_is_checked_and_its_run_is_walked(app):
    page = app()
    name = {"wasm": "in this browser", "serve": "dalsegno serve"}[app.backend]
    expect(page.locator("#tools")).to_contain_text(name)
    check(page)
    expect(page.locator(".properties .badge")).to_have_text(["fails", "holds", "holds"])
    assert len(tokens(page)) == 25
    before = tokens(page)
    page.get_by_role("button", name="step (→)").click()
    assert tokens(page) != before
    expect(page.locator(".status")).to_contain_text("State 1")
    # Both back ends give the report of the program.
    assert page.locator(".tabs [data-key=tgta]").count() == 1


def test_examples_and_files_are_loaded(app, large):
    page = app()
    titles = page.locator("#examples option").all_inner_texts()
    for number in range(1, len(titles)):
        page.locator("#examples").select_option(index=number)
        check(page)
        summary = page.locator(".inputs > summary")
        # A net has a name of its own, which need not be that of its file.
        name = re.split("[-_.]", page.locator("#model-name").input_value())[0]
        expect(summary).to_contain_text(name)
        assert "error" not in page.locator(".report .badge").all_inner_texts(), titles[number]
        summary.click()
    page.locator("#model-file").set_input_files(large)
    expect(page.locator("#model-name")).to_have_value("philosophers-40.pnml")
    expect(page.get_by_label("model", exact=True).locator("textarea")).to_have_value(re.compile("^<\\?xml"))


def test_progress_is_told_and_cancelling_takes_no_second(app, large):
    page = app()
    page.locator("#model-file").set_input_files(large)
    ask(page, ("ctl", 'AG EF "Eat_1 >= 1"'))
    page.locator("#engine").select_option("explicit")
    check(page)
    said = page.locator(".check .running .said")
    expect(said).to_contain_text(re.compile(r"\d states"))
    before = said.inner_text()
    expect(said).not_to_have_text(before)
    cancel = page.get_by_role("button", name="Cancel")
    cancel.click()
    expect(said).to_have_text("cancelled", timeout=1000)
    expect(cancel).to_be_hidden()
    # The back end is free again.
    started = time.monotonic()
    ask(page, ("ltl", "F Eat_1"))
    page.locator("#engine").select_option("auto")
    check(page)
    expect(page.locator(".headline .badge")).to_have_text("fails")
    assert time.monotonic() - started < 30


def test_limits_are_answers(app, large):
    page = app()
    page.locator("#model-file").set_input_files(large)
    ask(page, ("ctl", 'AG EF "Eat_1 >= 1"'))
    page.locator("#engine").select_option("explicit")
    page.locator("#states").fill("1000")
    check(page)
    expect(page.locator(".headline .badge")).to_have_text("unknown")
    expect(page.locator(".result .problem")).to_contain_text("states")


def test_errors_show_their_carets(app):
    page = app()
    ask(page, ("ltl", "G(Eat_1 -> "))
    check(page)
    lines = page.locator(".result pre.problem").inner_text().split("\n")
    assert lines[-2].strip() == "G(Eat_1 ->" and lines[-1].strip() == "^", lines
    page.locator(".inputs > summary").click()
    editor = page.locator(".editor textarea")
    text = editor.input_value().split("\n")
    text[6] = text[6] + "<place"
    editor.fill("\n".join(text))
    check(page)
    problem = page.locator(".questions pre.problem")
    expect(problem).to_be_visible()
    lines = problem.inner_text().split("\n")
    assert lines[-1].strip() == "^", lines
    line = int(re.search(r"line (\d+)", lines[0]).group(1))
    assert line in (7, 8), lines
    expect(page.locator(".gutter mark")).to_have_text(str(line))
    ask(page)
    check(page)
    expect(problem).to_contain_text("Nothing to check")


def test_formulas_have_four_automata_and_are_compared(app):
    page = app()
    page.get_by_role("tab", name="Formulas and automata").click()
    page.get_by_role("button", name="Translate").click()
    expect(page.locator(".four .panel")).to_have_count(4)
    assert page.locator(".four svg").count() == 4
    page.locator("#formula").fill("G(a -> X b)")
    page.get_by_role("button", name="Translate").click()
    expect(page.locator(".four section[aria-label=TA]")).to_contain_text("stutter")
    page.locator("#formula").fill("G(a -> ")
    page.get_by_role("button", name="Translate").click()
    problem = page.locator(".formulas pre.problem").first
    expect(problem).to_be_visible()
    assert problem.inner_text().split("\n")[-1].strip() == "^"
    page.get_by_role("button", name="Compare").click()
    badges = page.locator(".compared .badge")
    expect(badges).to_have_text(["no", "no", "yes"])
    expect(page.locator(".compared p")).to_have_count(1)
    page.locator("#left").fill("F G a")
    page.get_by_role("button", name="Compare").click()
    expect(badges).to_have_text(["yes", "yes", "yes"])


def test_keys_alone_are_enough(app):
    page = app()
    page.locator("#model-name").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".properties .badge").first).to_have_text("fails")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".status")).to_contain_text("State 1")
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()"))
    assert {"play (space)", "net", "time line"} <= seen, seen


def test_narrow_applications_do_not_scroll_sideways(app):
    for width in [320, 400, 800]:
        page = app(width=width, height=800)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        check(page)
        page.wait_for_selector(".timeline")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        page.get_by_role("tab", name="Formulas and automata").click()
        page.get_by_role("button", name="Translate").click()
        page.wait_for_selector(".four svg")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
