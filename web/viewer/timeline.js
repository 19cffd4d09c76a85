// The time line: a table with a column per state. Stretches of equal columns are folded, and of very long paths a part is shown.
import { h, code, count } from './dom.js';

// Paths with fewer states are not folded.
const SHORT = 16;
// Stretches with fewer equal columns are not folded.
const STRETCH = 4;
// Columns that are in the table at a time.
const MOST_COLUMNS = 240;

const SIGNS = { 1: ['●', 'true', 'yes'], 0: ['·', 'false', 'no'], '?': ['?', 'depends on what comes next', 'open'] };

export class Timeline {
  // `go` is called with a position.
  constructor(trace, go) {
    this.trace = trace;
    this.go = go;
    this.unfolded = new Set();
    this.automaton = null;
    this.table = h('table', { class: 'timeline' });
    this.node = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'time line' }, this.table);
    this.table.addEventListener('click', (event) => {
      const cell = event.target.closest('[data-position], [data-fold]');
      if (!cell) return;
      if (cell.dataset.fold !== undefined) {
        this.unfolded.add(Number(cell.dataset.fold));
        this.items = this.fold();
        this.window = null;
        this.show(this.time);
      } else {
        this.go(Number(cell.dataset.position));
      }
    });
    this.items = this.fold();
    this.window = null;
  }

  // The automaton whose states have a row.
  follow(view) {
    this.automaton = view && view.along.missing === undefined ? view : null;
    this.window = null;
  }

  // The letter that the drawing of the automaton has for a formula.
  letter(formula) {
    const plain = (text) => text.replace(/^"(.*)"$/, '$1');
    const found = this.automaton?.along.legend?.find(([, meaning]) => plain(meaning) === plain(formula));
    return found ? h('b', { class: 'letter' }, found[0]) : null;
  }

  signature(position) {
    return this.trace.path.rows.map((row) => row.values[position]).join('');
  }

  // The columns: states, and stretches of states whose neighbours are equal.
  fold() {
    const { length, cycle } = this.trace;
    const items = [];
    let p = 0;
    while (p < length) {
      const sign = this.signature(p);
      let q = p;
      while (q + 1 < length && q + 1 !== cycle && this.signature(q + 1) === sign) q += 1;
      if (length > SHORT && q - p + 1 >= STRETCH && !this.unfolded.has(p + 1)) {
        items.push({ from: p, to: p }, { from: p + 1, to: q - 1, folded: true }, { from: q, to: q });
      } else {
        for (let i = p; i <= q; i += 1) items.push({ from: i, to: i });
      }
      p = q + 1;
    }
    return items;
  }

  show(time) {
    this.time = time;
    const position = this.trace.position(time);
    const at = this.items.findIndex((item) => item.from <= position && position <= item.to);
    if (!this.window || at < this.window[0] || at >= this.window[1]) this.render(at);
    for (const cell of this.table.querySelectorAll('.now')) {
      cell.classList.remove('now');
      cell.removeAttribute('aria-current');
    }
    const column = at - this.window[0];
    for (const row of this.rows) {
      const cell = row.cells[column];
      if (!cell) continue;
      cell.classList.add('now');
      if (row.head) cell.setAttribute('aria-current', 'step');
    }
    if (this.automaton) {
      const cell = this.rows.find((row) => row.automaton)?.cells[column];
      if (cell && !this.items[at].folded) cell.textContent = String(this.automaton.state(time));
    }
    // A folded stretch tells where in it the path is, as long as it is there.
    this.entered?.();
    this.entered = null;
    const head = this.rows[0].cells[column];
    if (this.items[at].folded) {
      const before = head.firstChild.textContent;
      head.firstChild.textContent = `${count(this.trace.number(position))} of ⋯`;
      this.entered = () => { head.firstChild.textContent = before; };
    }
    this.scrollTo(head);
  }

  // Keeps a column in sight, behind the names of the rows.
  scrollTo(cell) {
    const box = this.node.getBoundingClientRect();
    const seen = cell.getBoundingClientRect();
    const names = this.table.querySelector('th.name')?.getBoundingClientRect().width ?? 0;
    if (seen.left < box.left + names + 8) this.node.scrollLeft -= box.left + names + 40 - seen.left;
    else if (seen.right > box.right - 8) this.node.scrollLeft += seen.right - box.right + 60;
  }

  // Makes the table around an item.
  render(at) {
    const { trace } = this;
    const { path, names } = trace;
    const first = Math.max(0, Math.min(at - MOST_COLUMNS / 2, this.items.length - MOST_COLUMNS));
    const items = this.items.slice(first, first + MOST_COLUMNS);
    this.window = [first, first + items.length];
    const whole = this.window[1] === this.items.length;
    const before = first > 0 ? this.items[first].from : 0;
    const after = whole ? 0 : path.shown - this.items[this.window[1]].from;
    this.rows = [];
    const line = (name, make, options = {}) => {
      const cells = items.map((item) => {
        const cell = make(item);
        if (trace.repeats(item.from)) cell.classList.add('cycle');
        if (item.from === trace.cycle) cell.classList.add('begins');
        if (item.folded) {
          cell.classList.add('folded');
          cell.dataset.fold = item.from;
        } else {
          cell.dataset.position = item.from;
        }
        return cell;
      });
      this.rows.push({ cells, ...options });
      const back = trace.cycle !== null && whole ? options.back ?? h('td', { class: 'back' }) : null;
      return h('tr', { class: options.class },
        h('th', { scope: 'row', class: 'name' }, ...[name].flat()),
        before ? h('td', { class: 'gap' }, options.head ? `${count(before)} earlier` : '') : null,
        ...cells,
        back,
        after ? h('td', { class: 'gap' }, options.head ? `${count(after)} later` : '') : null);
    };
    const head = line('state', (item) => {
      if (item.folded) {
        const size = item.to - item.from + 1;
        return h('th', { scope: 'col' }, h('button', { type: 'button', title: `show these ${size} equal states` }, `⋯ ${count(size)}`));
      }
      const label = `${trace.number(item.from)}`;
      return h('th', { scope: 'col' }, h('button', { type: 'button', tabindex: '-1', 'aria-label': `state ${label}` }, label));
    }, { head: true, back: h('td', { class: 'back' }, trace.cycle === null ? '' : `↻ ${trace.number(trace.cycle)}`) });
    const closing = trace.cycle === null ? '' : names.transition(path.steps[path.shown - 1][0]);
    const steps = line('step to it', (item) => {
      if (item.folded || item.from === 0) return h('td', { class: 'step' });
      const name = names.transition(path.steps[item.from - 1][0]);
      return h('td', { class: 'step', title: name }, h('bdi', {}, name));
    }, { back: h('td', { class: 'back step', title: closing }, h('bdi', {}, closing)) });
    const values = path.rows.map((row) => line([this.letter(row.formula), code(row.formula, { title: row.formula })], (item) => {
      const [sign, words, name] = SIGNS[row.values[item.from]];
      return h('td', { class: name, 'aria-label': words }, sign);
    }, { class: `row-${row.role}` }));
    const automaton = this.automaton ? [line(`${this.automaton.along.kind.toUpperCase()} state`, (item) => h('td', {}, item.folded ? '' : String(this.automaton.state(item.from))), { class: 'row-automaton', automaton: true })] : [];
    this.table.replaceChildren(
      h('caption', { class: 'hidden' }, 'What holds in each state; columns can be clicked.'),
      h('thead', {}, head), h('tbody', {}, steps, ...values, ...automaton));
  }
}
