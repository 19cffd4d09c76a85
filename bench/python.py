"""What calls from Python take, beside the same calls of the library.

    cargo xtask wheel && python -m venv target/measured && target/measured/bin/pip install --force-reinstall target/wheels/*.whl
    target/measured/bin/python bench/python.py            # a million formulas, some minutes
    target/measured/bin/python bench/python.py 100000

Both sides are measured in turns, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import dalsegno as ds

PROPERTY = "G(Fork_1 -> F Eat_1)"


def library(path: str) -> dict[str, float]:
    command = ["cargo", "bench", "--quiet", "--profile", "release", "-p", "dalsegno", "--bench", "calls", "--", path]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(out.strip().splitlines()[-1])
    return found


def median(call: Callable[[], object], count: int = 300) -> float:
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e6


def per_second(texts: list[str]) -> float:
    begin = time.perf_counter()
    for text in texts:
        ds.formula(text).simplify()
    return len(texts) / (time.perf_counter() - begin)


def interrupted(work: Callable[[], object]) -> float:
    """The seconds from the signal of the interrupt key to the exception."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.join()
    raise SystemExit("the work ended before it was interrupted")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    texts = [str(f) for f in ds.random_formulas(count, seed=1)]
    model = ds.generate("philosophers", 5)
    with tempfile.NamedTemporaryFile("w", suffix=".ltl", encoding="utf-8") as file:
        file.write("\n".join(texts) + "\n")
        file.flush()
        checks, speeds = [], []
        for _ in range(3):
            rust = library(file.name)
            python = median(lambda: model.check(PROPERTY))
            checks.append((python, rust["check_us"]))
            speed = per_second(texts)
            speeds.append((speed, rust["per_second_emptied"], rust["per_second_shared"]))
    for python, rust_us in checks:
        print(f"check: {python:.0f} µs from Python, {rust_us:.0f} µs in Rust, {python - rust_us:.0f} µs more")
    for speed, emptied, shared in speeds:
        print(
            f"{count} formulas read and simplified: {speed:.0f}/s from Python, {emptied:.0f}/s in Rust ({speed / emptied:.0%}), "
            f"with one store for all {shared:.0f}/s ({speed / shared:.0%})"
        )
    large = ds.generate("philosophers", 24)
    works: dict[str, Callable[[], object]] = {
        "explicit check": lambda: large.check('G "Eat_1 + Eat_7 + Eat_9 <= 3"', engine="explicit", automaton="tgba"),
        "explicit states": lambda: large.states(engine="explicit"),
        "symbolic states": lambda: ds.generate("kanban", 2000).states(engine="symbolic"),
        "translation": lambda: ds.translate(ds.formula_of_family("rv-counter", 12), "tgta"),
        "random formulas": lambda: ds.random_formulas(50_000_000),
    }
    for name, work in works.items():
        print(f"interrupt key, {name}: {interrupted(work) * 1e3:.0f} ms")


main()
