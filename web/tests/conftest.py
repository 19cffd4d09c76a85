"""What browser tests share: the program, a browser, and pages that complain of every error and every request."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("DALSEGNO", ROOT / "target/debug/dalsegno"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Root has no sandbox; what a browser asks of its maker would be mistaken for requests of a page.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]


def run(*arguments, codes=(0, 1), **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr)
    return done.stdout


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Opens an address; at the end of the test, no page may have had an error."""
    contexts, faults = [], []

    def open_(address, width=1400, height=900, scheme="light", offline=True):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.requests = []
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(address)
        if offline:
            assert page.requests == [address], page.requests
        return page

    open_.faults = faults
    yield open_
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes reports: the address of the page, and its data."""
    folder = tmp_path_factory.mktemp("reports")

    def make(name, model, *arguments, codes=(0, 1)):
        path = folder / f"{name}.html"
        run("check", model, *arguments, "--report", path, codes=codes)
        text = path.read_text()
        data = text.split('id="data">', 1)[1].split("</script>", 1)[0]
        return path.as_uri(), json.loads(data)

    make.folder = folder
    return make


def tokens(page):
    """The tokens that the picture of the net shows, by place."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.net .place')].map((p) =>
             [p.dataset.place, p.querySelector('.tokens').textContent]))"""
    )


def dots(number):
    return "•" * number if number <= 3 else str(number)
