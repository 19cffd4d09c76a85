"""Reports: files that show runs, states, automata and explanations, and ask nothing of anybody."""

import json

from conftest import ROOT, dots, run, tokens
from playwright.sync_api import expect

PHILOSOPHERS = ROOT / "examples/philosophers-5.pnml"
PETERSON = ROOT / "examples/peterson.dve"
RESPONSE = 'G("Fork_1 >= 1" -> F "Eat_1 >= 1")'


def status(page):
    return page.locator(".status").inner_text()


def test_tokens_are_those_of_the_replay_round_the_cycle(open_page, made):
    witness = made.folder / "saved.json"
    address, data = made("round", PHILOSOPHERS, "--ltl", RESPONSE, "--witness", witness)
    replayed = json.loads(run("replay", PHILOSOPHERS, witness, "--format", "json"))
    lasso = replayed["results"][0]["witness"]
    states = [step["state"] for step in lasso["stem"] + lasso["cycle"]]
    ids = {v["name"]: str(v["id"]) for v in data["variables"]}
    page = open_page(address)
    position = 0
    for _ in range(2 * len(states) + 1):
        shown = tokens(page)
        assert len(shown) == 25
        for name, place in ids.items():
            assert shown[place] == dots(states[position].get(name, 0)), (position, name)
        unnamed = set(shown) - set(ids.values())
        assert all(shown[place] == "" for place in unnamed)
        assert page.locator(".timeline thead th.now").inner_text() == str(position)
        page.keyboard.press("ArrowRight")
        position = position + 1 if position + 1 < len(states) else len(lasso["stem"])
    assert "round 3" in status(page)


def test_the_net_shows_what_fired_and_what_is_enabled(open_page, made):
    address, data = made("enabled", PHILOSOPHERS, "--ltl", RESPONSE)
    path = data["results"][0]["paths"][0]
    page = open_page(address)

    def classed(name):
        of = f"() => [...document.querySelectorAll('.net .transition.{name}')].map((t) => +t.dataset.transition)"
        return set(page.evaluate(of))

    enabled = set(path["enabled"])
    assert classed("enabled") == enabled and classed("fired") == set()
    for position, (on, off) in enumerate(path["switched"]):
        page.keyboard.press("ArrowRight")
        enabled = enabled.union(on) - set(off)
        assert classed("enabled") == enabled
        assert classed("fired") == {path["steps"][position][0]}
        touched = page.locator(".net .place.touched")
        assert touched.count() == len(path["steps"][position][1])


def test_keys_move_in_time(open_page, made):
    address, _ = made("keys", PHILOSOPHERS, "--ltl", RESPONSE)
    page = open_page(address)
    assert status(page).startswith("State 0")
    for key, state in [("End", 2), ("ArrowLeft", 1), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1)]:
        page.keyboard.press(key)
        assert status(page).startswith(f"State {state}"), key
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.locator(".controls")).to_contain_text("Pause")
    expect(page.locator(".status")).to_contain_text("State 1", timeout=5000)
    page.keyboard.press(" ")
    expect(page.locator(".controls")).to_contain_text("Play")


def test_a_column_can_be_clicked_and_everything_reached_by_tab(open_page, made):
    address, _ = made("click", PHILOSOPHERS, "--ltl", RESPONSE)
    page = open_page(address)
    page.locator(".timeline tbody tr").nth(2).locator("td").nth(2).click()
    assert status(page).startswith("State 2")
    page.evaluate("document.activeElement.blur()")
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or page.evaluate("document.activeElement === document.body")
    assert {"step (→)", "play (space)", "net", "time line", "Dark"} <= seen, seen


def test_all_kinds_of_automata_follow_the_run(open_page, made):
    address, data = made("kinds", PHILOSOPHERS, "--ltl", RESPONSE)
    automata = data["results"][0]["paths"][0]["automata"]
    assert [a["kind"] for a in automata] == ["tgba", "ba", "ta", "tgta"]
    page = open_page(address)
    for automaton in automata:
        page.keyboard.press("Home")
        page.locator(f".tabs [data-key={automaton['kind']}]").click()
        states, cycle, at = automaton["states"], automaton["cycle"], 0
        for moment in range(8):
            now = page.locator(".automaton .state.now")
            assert now.get_attribute("data-state") == str(states[at]), (automaton["kind"], moment)
            if moment and automaton["edges"][before] is not None:
                taken = page.locator(".automaton .edge.taken")
                assert taken.get_attribute("data-from") == str(states[before])
                assert str(automaton["edges"][before]) in taken.get_attribute("data-edges").split()
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("ArrowRight")
            before, at = at, at + 1 if at + 1 < len(states) else cycle


def test_formulas_without_a_ta_say_why(open_page, made):
    address, _ = made("next", PHILOSOPHERS, "--ltl", "G(Catch1_1 -> X X X Eat_1)")
    page = open_page(address)
    page.locator(".tabs [data-key=ta]").click()
    expect(page.locator(".automaton")).to_contain_text("stutter")


def test_verdicts_errors_and_reasons(open_page, made):
    wrong = ["--ltl", "G(Eat_1 -> ", "--ltl", "G !(Eat_1 & Eat_2)", "--ltl", "G !deadlock", "--deadlock"]
    address, _ = made("verdicts", PHILOSOPHERS, *wrong, codes=(2,))
    page = open_page(address)
    badges = page.locator(".properties .badge").all_inner_texts()
    assert badges == ["error", "holds", "fails", "holds"]
    page.locator(".property").first.click()
    lines = page.locator("pre.problem").inner_text().split("\n")
    assert lines[-1].strip() == "^" and lines[-2].strip() == "G(Eat_1 ->"
    page.locator(".property").nth(2).click()
    page.get_by_text("!deadlock fails in state 5").click()
    assert status(page).startswith("State 5")


def test_without_a_run_the_net_stands_still(open_page, made):
    address, data = made("still", PHILOSOPHERS, "--ltl", "G !(Eat_1 & Eat_2)")
    assert data["results"][0]["paths"] == []
    page = open_page(address)
    assert sum(shown == "•" for shown in tokens(page).values()) == 10
    assert page.locator(".timeline").count() == 0


def test_unknown_is_told(open_page, made):
    address, data = made("unknown", PHILOSOPHERS, "--ltl", "G F Eat_1", "--max-states", "1", codes=(3,))
    assert data["results"][0]["verdict"] == "unknown"
    page = open_page(address)
    expect(page.locator(".problem")).to_contain_text("states")


def test_programs_have_a_table_of_variables(open_page, made):
    address, _ = made("program", PETERSON, "--ltl", "G F P_0.CS")
    page = open_page(address)
    rows = page.locator(".state tbody tr")
    assert rows.count() == 5
    page.keyboard.press("ArrowRight")
    changed = page.locator(".state tr.changed th").all_inner_texts()
    assert sorted(changed) == ["P_1", "flag[1]"]


def test_paths_of_an_explanation_are_chosen(open_page, made):
    address, data = made("tree", PHILOSOPHERS, "--ctl", "EF Eat_1 & EX Catch1_2")
    assert len(data["results"][0]["paths"]) == 2
    page = open_page(address)
    claims = page.locator(".claim:has(.way)")
    assert claims.count() == 2
    claims.nth(1).click()
    expect(claims.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("End")
    assert "FF1a_2" in status(page)


def test_pictures_are_enlarged_moved_and_fitted(open_page, made):
    address, _ = made("zoom", PHILOSOPHERS, "--ltl", RESPONSE)
    page = open_page(address)
    frame = page.locator(".panel.state .frame")
    view = "document.querySelector('.panel.state svg').getAttribute('viewBox')"
    place = "document.querySelector('.net .place circle').getAttribute('cx')"
    whole, at = page.evaluate(view), page.evaluate(place)
    frame.focus()
    page.keyboard.press("+")
    nearer = page.evaluate(view)
    assert float(nearer.split()[2]) < float(whole.split()[2])
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate(view) != nearer
    box = frame.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 130)
    page.mouse.up()
    page.keyboard.press("0")
    assert page.evaluate(view) == whole and page.evaluate(place) == at


def test_narrow_pages_do_not_scroll_sideways(open_page, made):
    long = "G(" + " & ".join(f"(Catch1_{i} -> F Eat_{i})" for i in range(1, 6)) + ")"
    address, _ = made("narrow", PHILOSOPHERS, "--ltl", RESPONSE, "--ltl", long, "--ctl", "AG EF Eat_1")
    for width in [320, 400, 800, 1400]:
        page = open_page(address, width=width, height=800)
        for i in range(3):
            page.locator(".property").nth(i).click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, i)


def luminance(colour):
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_texts_have_contrast_in_light_and_dark(open_page, made):
    address, _ = made("colours", PHILOSOPHERS, "--ltl", RESPONSE, "--ltl", "G(", codes=(2,))
    # The colour of a text, and the first background behind it that is not transparent.
    colours = """(selector) => {
      const node = document.querySelector(selector);
      let behind = node;
      while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
      return [getComputedStyle(node).color, getComputedStyle(behind).backgroundColor];
    }"""
    wanted = ["h1", ".headline code", ".badge.fails", ".costs dt", ".reasons button", ".timeline td.yes", ".timeline td.no",
              ".timeline td.now", ".tabs [aria-selected=true]", ".tabs [aria-selected=false]", ".status", ".keys"]
    for scheme in ["light", "dark"]:
        page = open_page(address, scheme=scheme)
        for chosen in [None, "other"]:
            if chosen:
                page.locator(".theme").click()
            for selector in wanted:
                front, behind = (luminance(colour) for colour in page.evaluate(colours, selector))
                ratio = (max(front, behind) + 0.05) / (min(front, behind) + 0.05)
                assert ratio >= 4.5, (scheme, chosen, selector, ratio)


def test_hostile_names_inject_nothing(open_page, made):
    names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "' onload='alert(3)", "שלום\u202e", "x" * 400]
    escaped = [n.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&apos;") for n in names]
    places = "".join(
        f"<place id='p{i}'><name><text>{n}</text></name><initialMarking><text>1</text></initialMarking></place>"
        f"<transition id='t{i}'><name><text>{n}</text></name></transition>"
        f"<arc id='a{i}' source='p{i}' target='t{i}'/>" for i, n in enumerate(escaped))
    net = made.folder / "hostile.pnml"
    kind = "http://www.pnml.org/version-2009/grammar/ptnet"
    net.write_text(f"<pnml><net id='n' type='{kind}'><name><text>{escaped[0]}</text></name><page id='g'>{places}</page></net></pnml>")
    address, data = made("hostile", net, "--ltl", "G !deadlock")
    assert data["model"]["name"] == names[0]
    page = open_page(address, width=400, height=800)
    for _ in names:
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    page.keyboard.press("Home")
    page.locator(".tabs [data-key=table]").click()
    assert page.locator(".state bdi, .state code").filter(has_text="<img src=x onerror=alert(2)>").count() > 0


def test_the_policy_admits_no_other_script(open_page, made):
    address, _ = made("policy", PHILOSOPHERS, "--ltl", RESPONSE)
    page = open_page(address)
    blocked = page.evaluate("""() => new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));
      const image = new Image();
      image.src = 'http://127.0.0.1:9/x.png';
    })""")
    assert blocked == "img-src"
    script = "const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.head.append(s)"
    page.evaluate(f"() => {{ {script} }}")
    assert page.evaluate("window.ran") is None
    assert all("Content Security Policy" in fault for fault in open_page.faults)
    open_page.faults.clear()


def test_a_run_of_many_states_is_folded_and_quick_to_walk(open_page, made):
    net = made.folder / "long.pnml"
    kind = "http://www.pnml.org/version-2009/grammar/ptnet"
    net.write_text(f"""<pnml><net id='long' type='{kind}'><page id='g'>
      <place id='p'><initialMarking><text>3000</text></initialMarking></place><place id='q'/>
      <transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/></page></net></pnml>""")
    address, data = made("long", net, "--ltl", 'G "q < 3000"')
    assert data["results"][0]["paths"][0]["shown"] == 3001
    page = open_page(address)
    assert page.locator(".timeline thead th[data-fold]").count() == 1
    page.keyboard.press("End")
    assert tokens(page) == {"0": "", "1": "3000"}
    page.keyboard.press("ArrowLeft")
    assert tokens(page) == {"0": "•", "1": "2999"}
    page.locator(".timeline thead th[data-fold] button").click()
    assert page.locator(".timeline thead th").count() < 300
    page.locator("input[type=range]").fill("1500")
    assert tokens(page) == {"0": "1500", "1": "1500"}
