#!/usr/bin/env python3
"""Proofs for the LTL properties of contest instances: how many have one, what they take, and how large they are.

    bench/certificates.py --dalsegno target/release/dalsegno --inputs FOLDER [--every 5] [--timeout 30] [--limit N]

FOLDER has instances as the contest packs them, `NAME.tgz` with `model.pnml`, `LTLCardinality.xml` and `LTLFireability.xml`.
Each property is checked by itself. Properties count that hold and were decided by a search or by diagrams.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile

SEARCHES = ("explicit search", "decision diagrams", "flood")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dalsegno", required=True)
    parser.add_argument("--inputs", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=30)
    parser.add_argument("--limit", type=int, default=10**9, help="properties of each file")
    arguments = parser.parse_args()
    total = {"hold": 0, "proved": 0, "search": 0.0, "make": 0.0, "check": 0.0, "bytes": 0}
    for archive in sorted(arguments.inputs.glob("*.tgz"))[arguments.first :: arguments.every]:
        with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
            for model in sorted(pathlib.Path(folder).rglob("model.pnml")):
                instance(arguments, archive.stem, model, total)
    print(json.dumps(total))


def instance(arguments, name, model, total) -> None:
    for file in ("LTLCardinality.xml", "LTLFireability.xml"):
        properties = model.parent / file
        if not properties.exists():
            continue
        parts = re.findall(r"<property>.*?</property>", properties.read_text(), re.DOTALL)
        for part in parts[: arguments.limit]:
            identifier = re.search(r"<id>\s*(\S+?)\s*</id>", part).group(1)
            with tempfile.TemporaryDirectory() as folder:
                one = pathlib.Path(folder) / "one.xml"
                one.write_text(f"<property-set>{part}</property-set>")
                command = [arguments.dalsegno, "check", str(model), "--properties", str(one), "--format", "json"]
                command += ["--timeout", str(arguments.timeout), "--certificate", folder + "/proof"]
                run = subprocess.run(command, capture_output=True, text=True)
            try:
                result = json.loads(run.stdout)["results"][0]
            except (json.JSONDecodeError, KeyError, IndexError):
                continue
            proof, by = result.get("proof"), str(result.get("method"))
            if result.get("verdict") != "holds" or not any(word in by for word in SEARCHES):
                continue
            total["hold"] += 1
            row = [name, identifier, by]
            if proof and proof["reason"] is None:
                spent = proof["make_seconds"] + proof["check_seconds"]
                search = max(result["seconds"] - spent, 0)
                total["proved"] += 1
                total["search"] += search
                total["make"] += proof["make_seconds"]
                total["check"] += proof["check_seconds"]
                total["bytes"] += proof["bytes"]
                row += [proof["checked"], proof["bytes"], round(search, 3)]
                row += [round(proof["make_seconds"], 3), round(proof["check_seconds"], 3)]
            else:
                row += ["not certified", proof["reason"] if proof else "no proof"]
            print(*row, sep="\t", flush=True)


if __name__ == "__main__":
    main()
