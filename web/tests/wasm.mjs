// The module of WebAssembly under Node: the verdicts of the corpus, and answers instead of traps where stack or memory end.
// node web/tests/wasm.mjs MODULE CORPUS.json PROGRAM; PROGRAM generates the nets of families.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { compile, instance } from "../wasm.mjs";

const [, , modulePath, corpusPath, program] = process.argv;
const module = await compile(fs.readFileSync(modulePath));
const faults = [];

function last(request) {
  let line = null;
  instance(module).call(request, (told) => (line = told));
  return line;
}

const nets = new Map();
function family(name, n) {
  const key = `${name} ${n}`;
  if (!nets.has(key)) {
    const made = spawnSync(program, ["generate", name, String(n)], { encoding: "utf8", maxBuffer: 2 ** 28 });
    if (made.status !== 0) throw new Error(`${key}: ${made.stderr}`);
    nets.set(key, made.stdout);
  }
  return nets.get(key);
}

function modelOf({ family: name, n, pnml, dve, etf }) {
  if (name) return { name: "m.pnml", text: family(name, n) };
  if (pnml) return { name: "m.pnml", text: pnml };
  return dve ? { name: "m.dve", text: dve } : { name: "m.etf", text: etf };
}

function checkEntry(entry) {
  const model = modelOf(entry.model);
  const [logic, text] = [
    ["ltl", entry.ltl],
    ["ctl", entry.ctl],
    ["ctl*", entry.ctl_star],
  ].find(([, formula]) => formula) ?? [null, null];
  if (text) {
    for (const engine of ["auto", "explicit", "symbolic"]) {
      const request = { call: "check", model, properties: [{ logic, text }], engine, timeout: 60 };
      if (entry.dead_end_paths) request.dead_ends = entry.dead_end_paths;
      const found = last(request)?.result?.results?.[0];
      const expected = entry.holds ? "holds" : "fails";
      if (found?.verdict !== expected) faults.push(`${entry.name}, ${engine}: ${found?.verdict} ${found?.reason}`);
    }
  }
  if (entry.states !== undefined) {
    const found = last({ call: "states", model, timeout: 120 })?.result;
    for (const what of ["states", "transitions", "dead_ends"]) {
      if (entry[what] !== undefined && found?.[what] !== String(entry[what])) {
        faults.push(`${entry.name}: ${found?.[what]} ${what}, ${found?.reason}`);
      }
    }
  }
  return Boolean(text) || entry.states !== undefined;
}

function chain(length) {
  let text = '<pnml><net id="chain" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">';
  for (let i = 0; i < length; i++) {
    text += `<place id="p${i}">${i ? "" : "<initialMarking><text>1</text></initialMarking>"}</place>`;
    if (i + 1 < length) {
      text += `<transition id="t${i}"/><arc id="a${i}" source="p${i}" target="t${i}"/>`;
      text += `<arc id="b${i}" source="t${i}" target="p${i + 1}"/>`;
    }
  }
  return { name: "chain.pnml", text: `${text}</page></net></pnml>` };
}

/** A request whose last line must be there, whatever it is; what it is must please `wanted`. */
function survives(what, request, wanted) {
  try {
    const line = last(request);
    if (!line || !wanted(line)) faults.push(`${what}: ${JSON.stringify(line)?.slice(0, 300)}`);
  } catch (error) {
    faults.push(`${what}: the module trapped: ${error}`);
  }
}

function checkDepth() {
  const long = chain(20_500);
  const verdict = (line) => line.result?.results?.[0]?.verdict;
  const reason = (line) => line.result?.results?.[0]?.reason ?? line.result?.reason;
  survives("20,500 levels, states", { call: "states", model: long, engine: "symbolic", timeout: 20 }, (line) => line.result?.result === "unknown" && reason(line) === "memory");
  const deep = (logic, text) => ({ call: "check", model: long, properties: [{ logic, text }], engine: "symbolic", timeout: 20 });
  // The chain may be reduced to a net with few levels, of which the property holds.
  survives("20,500 levels, CTL", deep("ctl", "AG EF p20499"), (line) => ["holds", "unknown"].includes(verdict(line)));
  survives("20,500 levels, LTL", deep("ltl", "F G p20499"), (line) => verdict(line) !== "error");
  survives("20,500 states one by one", { call: "states", model: long, engine: "explicit", timeout: 60 }, (line) => line.result?.states === "20500");
  for (const [open, core, close] of [["X ", "a", ""], ["(", "a", ")"], ["!", "a", ""], ["G F ", "a", ""], ["a U (", "b", ")"], ["a & (b | ", "a", ")"]]) {
    const formula = open.repeat(30_000) + core + close.repeat(30_000);
    survives(`${open} 30,000 deep`, { call: "translate", formula, timeout: 10 }, (line) => line.event !== "progress");
    const small = chain(3);
    const text = formula.replaceAll("a", "p0").replaceAll("b", "p1");
    for (const logic of ["ltl", "ctl", "ctl*"]) {
      const properties = [{ logic, text }];
      survives(`${logic} ${open} 30,000 deep`, { call: "check", model: small, properties, timeout: 10 }, (line) => line.event !== "progress");
    }
  }
  survives("JSON 100,000 deep", "[".repeat(100_000), (line) => line.event === "error");
}

function checkMemory() {
  const model = { name: "net.pnml", text: family("philosophers", 40) };
  survives("a little memory", { call: "states", model, engine: "explicit", memory: 50e6, timeout: 120 }, (line) => line.result?.reason === "memory");
}

const entries = JSON.parse(fs.readFileSync(corpusPath, "utf8"));
const checked = entries.filter(checkEntry).length;
if (checked < entries.length / 2) faults.push(`only ${checked} of ${entries.length} entries could be checked`);
checkDepth();
checkMemory();
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(`module: ${checked} of ${entries.length} entries of the corpus, faults: ${faults.length}`);
process.exit(faults.length ? 1 : 0);
