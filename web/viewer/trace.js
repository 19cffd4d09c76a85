// A path of a report: states and enabled transitions are put together from what each step changes.

const STRIDE = 256;

// Names of a report, by number.
export class Names {
  constructor(report) {
    this.variables = new Map(report.variables.map((v) => [v.id, v]));
    this.transitions = new Map(report.transitions.map((t) => [t.id, t]));
  }

  variable(id) {
    const v = this.variables.get(id);
    if (!v) return `#${id}`;
    return v.label ? `${v.label} [${v.name}]` : v.name;
  }

  transition(id) {
    if (id === null) return '(dead end)';
    const t = this.transitions.get(id);
    if (!t) return `#${id}`;
    const name = t.label ? `${t.label} [${t.name}]` : t.name;
    if (!t.binding || t.binding.length === 0) return name;
    return `${name} (${t.binding.map(([x, colour]) => `${x} = ${colour}`).join(', ')})`;
  }
}

// States are numbered by positions 0, 1, ...; time goes on, and positions go round the cycle.
export class Trace {
  constructor(path, names) {
    this.path = path;
    this.names = names;
    this.length = path.shown;
    this.cycle = path.cycle;
    // Copies of every so many states, so that a jump is not a walk from the beginning.
    const values = new Map(path.first);
    const enabled = new Set(path.enabled);
    this.kept = [{ values: new Map(values), enabled: new Set(enabled) }];
    for (let position = 1; position < this.length; position += 1) {
      this.advance(position, values, enabled);
      if (position % STRIDE === 0) this.kept.push({ values: new Map(values), enabled: new Set(enabled) });
    }
    this.memo = null;
  }

  // Changes the state before a position into the one there.
  advance(position, values, enabled) {
    for (const [variable, , after] of this.path.steps[position - 1][1]) values.set(variable, after);
    const [on, off] = this.path.switched[position - 1];
    for (const t of on) enabled.add(t);
    for (const t of off) enabled.delete(t);
  }

  // The values and the enabled transitions at a position.
  at(position) {
    if (this.memo && this.memo.position === position) return this.memo;
    const near = Math.floor(position / STRIDE);
    const values = new Map(this.kept[near].values);
    const enabled = new Set(this.kept[near].enabled);
    for (let p = near * STRIDE + 1; p <= position; p += 1) this.advance(p, values, enabled);
    this.memo = { position, values, enabled };
    return this.memo;
  }

  // The last moment; there is none of a run with a cycle.
  last() {
    return this.cycle === null ? this.length - 1 : Infinity;
  }

  position(time) {
    return around(time, this.length, this.cycle);
  }

  // Whether a position is on the cycle.
  repeats(position) {
    return this.cycle !== null && position >= this.cycle;
  }

  // How often the cycle has begun at a moment, the first time included.
  round(time) {
    if (this.cycle === null || time < this.cycle) return 0;
    return Math.floor((time - this.cycle) / (this.length - this.cycle)) + 1;
  }

  // The step that led to a moment: its transition and its changes; none to the first one.
  step(time) {
    if (time === 0) return null;
    const [transition, changes] = this.path.steps[this.position(time - 1)];
    return { transition, changes };
  }

  // The transition that is taken next; undefined at the end.
  next(time) {
    const step = this.path.steps[this.position(time)];
    return step && time < this.last() ? step[0] : undefined;
  }

  // The number of a state, as claims and reasons have it.
  number(position) {
    return this.path.from + position;
  }
}

// Where a list that goes on at `cycle` after its end is at a moment.
export function around(time, length, cycle) {
  if (time < length) return time;
  if (cycle === null) return length - 1;
  return cycle + ((time - cycle) % (length - cycle));
}

// What a step changes, in words.
export function changesText(names, changes) {
  if (changes.length === 0) return 'nothing changes';
  // The direction of a name must not move the numbers beside it.
  const apart = (name) => `\u2068${name}\u2069`;
  const shown = changes.slice(0, 8).map(([v, before, after]) => `${apart(names.variable(v))} ${before} → ${after}`);
  if (changes.length > 8) shown.push(`and ${changes.length - 8} more`);
  return shown.join(', ');
}
