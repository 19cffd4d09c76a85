// A state as a table of variables, with what the last step changed.
import { h, code } from './dom.js';

// Rows that are shown without being asked for.
const MOST_ROWS = 400;

export class StateTable {
  // `everything`: variables that are 0 have rows, too.
  constructor(trace, everything, observed) {
    this.trace = trace;
    this.everything = everything;
    this.observed = new Set(observed);
    this.body = h('tbody');
    this.note = h('p', { class: 'quiet' });
    this.node = h('div', { class: 'scroll state', tabindex: '0', role: 'region', 'aria-label': 'values' },
      h('table', {},
        h('thead', {}, h('tr', {}, ...['variable', 'value', 'before'].map((t) => h('th', { scope: 'col' }, t)))),
        this.body),
      this.note);
  }

  show(time) {
    const { names } = this.trace;
    const { values, enabled } = this.trace.at(this.trace.position(time));
    const step = this.trace.step(time);
    const before = new Map((step ? step.changes : []).map(([v, was]) => [v, was]));
    const ids = this.everything ? [...names.variables.keys()] : [...values].filter(([id, value]) => value !== 0 || before.has(id)).map(([id]) => id);
    for (const id of before.keys()) if (!ids.includes(id)) ids.push(id);
    ids.sort((a, b) => a - b);
    const shown = ids.slice(0, MOST_ROWS);
    this.body.replaceChildren(...shown.map((id) => h('tr', { class: [before.has(id) ? 'changed' : '', this.observed.has(id) ? 'observed' : ''].join(' ').trim() || null },
      h('th', { scope: 'row' }, code(names.variable(id))),
      h('td', {}, String(values.get(id) ?? 0)),
      h('td', {}, before.has(id) ? String(before.get(id)) : ''))));
    const list = [...enabled].slice(0, 30).map((t) => names.transition(t));
    const more = enabled.size > 30 ? ` and ${enabled.size - 30} more` : '';
    const left = ids.length > MOST_ROWS ? `${ids.length - MOST_ROWS} more variables are not listed. ` : '';
    this.note.textContent = `${left}${this.everything ? '' : 'What is 0 is not listed. '}Enabled: ${list.join(', ') || 'nothing'}${more}.`;
  }
}
