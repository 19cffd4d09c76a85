#!/usr/bin/env python3
"""Proofs for the LTL properties of contest instances: how many have one, what they take, and how large they are.

    bench/certificates.py --dalsegno PROGRAM [PROGRAM ...] --inputs FOLDER [--every 5] [--timeout 30] [--limit N]
        [--repeat 3] [--csv ROWS] [--only ROWS]

FOLDER has instances as the contest packs them, `NAME.tgz` with `model.pnml`, `LTLCardinality.xml` and `LTLFireability.xml`.
Each property is checked by itself, by each program in turn. Properties count that hold and were decided by a search or by
diagrams. Of several repetitions the least times count: other work on the machine makes times longer, and never shorter.
`--only` takes the properties from the rows of an earlier run, so that those which do not count take no time.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

SEARCHES = ("explicit search", "decision diagrams", "flood")
FILES = ("LTLCardinality.xml", "LTLFireability.xml")
TIMES = ("search", "make", "check")
FIELDS = ("program", "instance", "property", "method", *TIMES, "bytes", "checked", "reason")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalsegno", required=True, nargs="+")
    parser.add_argument("--inputs", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=30)
    parser.add_argument("--limit", type=int, default=10**9, help="properties of each file")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path, help="where rows are written")
    parser.add_argument("--only", type=pathlib.Path, help="rows of an earlier run")
    arguments = parser.parse_args()
    only = None
    if arguments.only:
        with arguments.only.open() as file:
            only = {row["property"] for row in csv.DictReader(file)}
    rows = []
    with (arguments.csv.open("w") if arguments.csv else sys.stdout) as out:
        writer = csv.DictWriter(out, FIELDS)
        writer.writeheader()
        for archive in sorted(arguments.inputs.glob("*.tgz"))[arguments.first :: arguments.every]:
            with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
                for model in sorted(pathlib.Path(folder).rglob("model.pnml")):
                    for row in instance(arguments, archive.stem, model, only):
                        writer.writerow(row)
                        out.flush()
                        rows.append(row)
        totals(arguments, rows)


def totals(arguments, rows) -> None:
    """Totals of each program, and of the properties that all of them certify."""
    by_all = set.intersection(*(certified(rows, program) for program in arguments.dalsegno))
    for program in arguments.dalsegno:
        for which, among in (("all", certified(rows, program)), ("by all programs", by_all)):
            chosen = [row for row in rows if row["program"] == program]
            total = {"program": program, "certified": which, "hold": len(chosen), "proved": len(among)}
            for field in (*TIMES, "bytes"):
                total[field] = round(sum(row[field] for row in chosen if row["property"] in among), 3)
            for field in TIMES[1:]:
                total[field + "_ratio"] = round(total[field] / max(total["search"], 1e-9), 3)
            print(json.dumps(total), file=sys.stderr)


def certified(rows, program):
    return {row["property"] for row in rows if row["program"] == program and not row["reason"]}


def instance(arguments, name, model, only):
    for properties in (model.parent / file for file in FILES):
        if not properties.exists():
            continue
        parts = re.findall(r"<property>.*?</property>", properties.read_text(), re.DOTALL)
        for part in parts[: arguments.limit]:
            identifier = re.search(r"<id>\s*(\S+?)\s*</id>", part).group(1)
            if only is None or identifier in only:
                for program in arguments.dalsegno:
                    found = [measure(arguments, program, model, part) for _ in range(arguments.repeat)]
                    if all(found):
                        # The verdict and the method are those of the first time; a proof in any of them is one.
                        best = min(found, key=lambda row: bool(row["reason"]))
                        least = {field: min(row[field] for row in found if row["reason"] == best["reason"]) for field in TIMES}
                        yield {"program": program, "instance": name, "property": identifier, **best, **least}
                    elif only is None:
                        break


def measure(arguments, program, model, part):
    """What checking and certifying a property takes; nothing if it does not count."""
    with tempfile.TemporaryDirectory() as folder:
        one = pathlib.Path(folder) / "one.xml"
        one.write_text(f"<property-set>{part}</property-set>")
        command = [program, "check", str(model), "--properties", str(one), "--format", "json"]
        command += ["--timeout", str(arguments.timeout), "--certificate", folder + "/proof"]
        run = subprocess.run(command, capture_output=True, text=True)
    try:
        result = json.loads(run.stdout)["results"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        return None
    proof, by = result.get("proof"), str(result.get("method"))
    if result.get("verdict") != "holds" or not any(word in by for word in SEARCHES):
        return None
    if not proof or proof["reason"] is not None:
        reason = proof["reason"] if proof else "no proof"
        return {"method": by, "search": result["seconds"], "make": 0.0, "check": 0.0, "bytes": 0, "checked": "", "reason": reason}
    make, check = proof["make_seconds"], proof["check_seconds"]
    row = {"method": by, "search": max(result["seconds"] - make - check, 0.0), "make": make, "check": check}
    return {**row, "bytes": proof["bytes"], "checked": proof["checked"], "reason": ""}


if __name__ == "__main__":
    main()
