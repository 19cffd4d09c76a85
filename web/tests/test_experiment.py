"""Pages of experiments: no script, no request, tables that fit, and points that lead to their rows."""

import re
import shutil

import pytest
from conftest import ROOT, run
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """The address of a page, made from rows that are kept."""
    folder = tmp_path_factory.mktemp("experiment")
    shutil.copy(ROOT / "bench/runs/p12.csv", folder / "runs.csv")
    run("experiment", "p12", "--report", "--output", folder)
    return (folder / "index.html").as_uri()


def test_points_name_their_formulas_and_lead_to_rows(open_page, experiment):
    page = open_page(experiment)
    point = page.locator("svg a").first
    formula, model, values = point.locator("title").text_content().split("\n")
    point.dispatch_event("click")
    expect(page).to_have_url(re.compile(r"formulas\.html#f\d+$"))
    row = page.locator("tr:target")
    expect(row.locator(".formula")).to_have_text(formula)
    expect(row).to_contain_text(model)
    assert re.match(r"TA [\d ]+, TGTA [\d ]+$", values), values
    page.get_by_role("link", name="The experiment").click()
    for link in page.locator("a:not(svg a)").all():
        assert link.get_attribute("href").split(".")[-1] in ("html", "csv", "txt", "svg")


def test_wide_tables_scroll_and_say_so(open_page, experiment):
    for width in [400, 1400]:
        for address in [experiment, experiment.replace("index.html", "formulas.html")]:
            page = open_page(address, width=width, height=800)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, address)
    page = open_page(experiment, width=400)
    expect(page.locator(".hint").first).to_be_visible()
    table = page.locator(".wide").first
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.wide').scrollLeft > 0")
    assert open_page(experiment).locator(".hint").first.is_hidden()


def test_abbreviations_and_judgements_are_told(open_page, experiment):
    page = open_page(experiment)
    assert "geometric mean" in page.locator("abbr", has_text="geom.").first.get_attribute("title")
    expect(page.locator("dt", has_text=re.compile("^TGTA$"))).to_have_count(1)
    words = set(page.locator("td.word").all_inner_texts())
    assert words <= {"confirmed", "mixed", "not confirmed", "no data"} and "confirmed" in words
