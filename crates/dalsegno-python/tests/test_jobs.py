"""Signals, threads, forks, callbacks and panics."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import dalsegno as ds

ENDLESS = ds.generate("philosophers", 24)
LONG = 'G "Eat_1 + Eat_7 + Eat_9 <= 3"'
OPTIONS = {"engine": "explicit", "automaton": "tgba"}


def long(**options: object) -> ds.Result:
    return ENDLESS.check(LONG, **OPTIONS, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_ctrl_c_ends_work() -> None:
    works: list[Callable[[], object]] = [
        long,
        lambda: ENDLESS.states(engine="explicit"),
        lambda: ds.translate(ds.formula_of_family("rv-counter", 12), "tgta"),
        lambda: ds.random_formulas(50_000_000),
    ]
    for work in works:
        sent: list[float] = []

        def interrupt(*_: object) -> None:
            sent.append(time.monotonic())
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with pytest.raises(KeyboardInterrupt):
                work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert sent


def test_other_threads_run_meanwhile() -> None:
    ticks = 0
    over = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        assert long(timeout=0.5).holds is None
    finally:
        over.set()
        thread.join()
    assert ticks > 20


def test_threads_share_a_model() -> None:
    m = ds.generate("philosophers", 6, coloured=True)
    texts = ["G F true", "F true", "AG EF true", "EF deadlock"] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: m.check(text).holds, texts))
    assert found == [True, True, True, True] * 4
    with ThreadPoolExecutor(4) as pool:
        sizes = list(pool.map(lambda f: f.simplify().size(), ds.random_formulas(400, seed=9)))
    assert sizes == [f.simplify().size() for f in ds.random_formulas(400, seed=9)]


def test_progress_is_told_and_may_raise() -> None:
    told: list[ds.Progress] = []
    assert long(timeout=0.7, progress=told.append).reason == "time"
    assert told and told[-1].states > 0 and told[-1].method == "explicit search"

    def refuse(_: ds.Progress) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        long(progress=refuse)
    with pytest.raises(RuntimeError, match="no more"):
        ENDLESS.states(engine="explicit", progress=refuse)
    # A check within the callback of another one.
    inner: list[bool | None] = []
    small = ds.generate("philosophers", 3)
    long(timeout=0.4, progress=lambda _: inner.append(small.check("G Fork_1").holds))
    assert inner and set(inner) == {False}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_works_on_the_models_of_its_parent() -> None:
    m = ds.generate("philosophers", 20)
    worker = threading.Thread(target=lambda: m.check(LONG, timeout=2, **OPTIONS))  # type: ignore[call-overload]
    worker.start()
    time.sleep(0.2)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            good = m.check("G !(Eat_1 & Eat_2)").holds is True and ds.formula("F a").simplify().size() == 2
            code = 0 if good and ds.translate("G F a").num_states() == 1 else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 60
    ended, status = 0, 0
    while ended == 0 and time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.02)
    if ended == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    worker.join()
    assert ended == child and os.waitstatus_to_exitcode(status) == 0


def verdict(job: tuple[ds.Model, ds.Formula]) -> bool | None:
    return job[0].check(job[1]).holds


def test_processes_get_models_and_formulas() -> None:
    m = ds.generate("philosophers", 4)
    jobs = [(m, ds.atom("Fork_1")), (m, ds.formula("G !(Eat_1 & Eat_2)"))]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(verdict, jobs) == [True, True]


@pytest.mark.parametrize("in_job", [True, False])
def test_a_panic_is_an_exception(in_job: bool, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        with pytest.raises(ds.InternalError, match="a defect that was asked for at .*lib.rs"):
            ds._native._panic(in_job)
    assert ds.formula("F F a").simplify() == ds.formula("F a")
    assert ds.generate("philosophers", 3).check("G Fork_1").holds is False
    assert "panicked" not in capfd.readouterr().err


def test_an_interpreter_that_ends_does_not_wait() -> None:
    program = (
        "import dalsegno as ds, threading, time\n"
        "m = ds.generate('philosophers', 24)\n"
        "threading.Thread(target=lambda: m.states(engine='explicit'), daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('over', flush=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "over", "")
