// Formulas alone: the four automata of one, and two compared.
import { h, code, counted, duration } from '../viewer/dom.js';
import { Picture } from '../viewer/picture.js';
import { KINDS } from '../viewer/automaton.js';
import { Running } from './running.js';

function input(id, value) {
  return h('input', { id, class: 'formula', value, spellcheck: 'false', autocapitalize: 'off' });
}

export class FormulaTab {
  constructor(backend) {
    this.backend = backend;
    this.formula = input('formula', 'G(req -> F ack)');
    this.left = input('left', 'G F a');
    this.right = input('right', 'F G a');
    this.translating = new Running();
    this.comparing = new Running();
    this.problem = h('pre', { class: 'problem', role: 'alert', hidden: true });
    this.fault = h('pre', { class: 'problem', role: 'alert', hidden: true });
    this.automata = h('div', { class: 'four' });
    this.verdict = h('div', { class: 'compared', role: 'status' });
    const act = (label, running) => h('div', { class: 'act' }, h('button', { type: 'submit', class: 'go' }, label), running.node);
    const side = (id, label, field) => h('div', { class: 'side' }, h('label', { for: id }, label), field);
    this.node = h('div', { class: 'tab formulas' },
      h('section', { 'aria-label': 'automata of a formula' },
        h('h2', { class: 'hidden' }, 'Automata of a formula'),
        h('form', { class: 'line', onsubmit: (event) => this.translate(event) },
          side('formula', 'Formula of LTL', this.formula), act('Translate', this.translating)),
        this.problem, this.automata),
      h('section', { 'aria-label': 'two formulas compared' },
        h('h2', { class: 'hidden' }, 'Two formulas compared'),
        h('form', { class: 'line', onsubmit: (event) => this.compare(event) },
          side('left', 'Left', this.left), side('right', 'Right', this.right), act('Compare', this.comparing)),
        this.fault, this.verdict));
  }

  async ask(event, running, request, problem, show) {
    event.preventDefault();
    if (running.busy) return;
    problem.hidden = true;
    try {
      const result = await running.run(this.backend, { ...request, timeout: 60 });
      if (result) show(result);
    } catch (error) {
      problem.textContent = error.rendered ?? error.message;
      problem.hidden = false;
    }
  }

  translate(event) {
    return this.ask(event, this.translating, { call: 'translate', formula: this.formula.value }, this.problem, ({ automata }) => {
      this.automata.replaceChildren(...automata.map((a) => this.one(a)));
    });
  }

  one(automaton) {
    const name = KINDS[automaton.kind];
    const panel = (...content) => h('section', { class: 'panel', 'aria-label': name }, h('div', { class: 'heading' }, h('h3', {}, name), content.shift()), h('div', { class: 'body' }, ...content));
    if (automaton.error) return panel(null, h('p', { class: 'empty' }, `There is no ${name}: ${automaton.error}.`));
    const { sizes } = automaton;
    const sets = counted(sizes.acceptance_sets, 'acceptance set');
    const text = `${counted(sizes.states, 'state')}, ${counted(sizes.edges, 'edge')}, ${sets}${sizes.deterministic ? ', deterministic' : ''}, ${duration(automaton.seconds)}`;
    return panel(h('span', { class: 'quiet' }, text),
      automaton.svg ? new Picture(automaton.svg, name).node : h('p', { class: 'empty' }, 'It is too large to be drawn.'),
      h('details', { class: 'hoa' }, h('summary', {}, 'HOA'), h('pre', { tabindex: '0' }, automaton.hoa)));
  }

  compare(event) {
    const [left, right] = [this.left.value, this.right.value];
    return this.ask(event, this.comparing, { call: 'compare', left, right }, this.fault, (result) => {
      const words = { true: 'yes', false: 'no', null: `unknown (${result.reason})` };
      const line = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, h('span', { class: `badge ${value === true ? 'holds' : value === false ? 'fails' : 'unknown'}` }, words[value])));
      const sides = [left, right];
      this.verdict.replaceChildren(
        h('dl', {}, line('equivalent', result.equivalent), line('left is included in right', result.left_included), line('right is included in left', result.right_included)),
        ...result.words.map((word) => h('p', {}, code(word.text), ' satisfies ', code(sides[word.accepted_by[0]]), ' and violates ', code(sides[word.rejected_by[0]]), '.')));
    });
  }
}
