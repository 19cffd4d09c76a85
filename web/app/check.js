// Properties of a model: what is asked, and the report.
import { h } from '../viewer/dom.js';
import { showReport, modelText } from '../viewer/report.js';
import { badge } from '../viewer/result.js';
import { Editor } from './editor.js';
import { Running } from './running.js';

const LOGICS = [['ltl', 'LTL'], ['ctl', 'CTL'], ['ctl*', 'CTL*']];
const ENGINES = [['auto', 'automatic'], ['explicit', 'explicit'], ['symbolic', 'symbolic']];
const AUTOMATA = [['auto', 'automatic'], ['tgta', 'TGTA'], ['tgba', 'TGBA'], ['ba', 'BA'], ['ta', 'TA']];

function select(id, options, chosen) {
  return h('select', { id }, options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
}

export class CheckTab {
  constructor(backend) {
    this.backend = backend;
    this.editor = new Editor('model');
    this.name = h('input', { id: 'model-name', value: 'model.pnml', spellcheck: 'false' });
    this.file = h('input', { id: 'model-file', type: 'file', accept: '.pnml,.xml,.dve,.etf,.dm', onchange: () => this.open() });
    this.examples = h('select', { id: 'examples', onchange: () => this.load(this.examples.value) });
    this.rows = h('ol', { class: 'asked' });
    this.engine = select('engine', ENGINES, 'auto');
    this.automaton = select('automaton', AUTOMATA, 'auto');
    this.timeout = h('input', { id: 'timeout', type: 'number', min: '1', step: '1', value: '60' });
    this.states = h('input', { id: 'states', type: 'number', min: '1', step: '1', placeholder: 'no limit' });
    this.memory = h('input', { id: 'memory', type: 'number', min: '1', step: '1', placeholder: 'no limit' });
    this.running = new Running();
    this.go = h('button', { type: 'submit', class: 'go' }, 'Check');
    this.problem = h('pre', { class: 'problem', role: 'alert', hidden: true });
    this.verdicts = h('ul', { class: 'verdicts', 'aria-label': 'answers so far' });
    this.summary = h('summary', {}, 'Model and properties');
    this.report = h('div');
    this.node = this.build();
    this.ask('ltl', '');
  }

  build() {
    const field = (label, input) => h('div', { class: 'field' }, h('label', { for: input.id }, label), input);
    const form = h('form', { class: 'setup', onsubmit: (event) => this.submit(event) },
      h('section', { class: 'model', 'aria-label': 'model' },
        h('div', { class: 'fields' }, field('Example', this.examples), field('File', this.file), field('Name', this.name)),
        this.editor.node),
      h('section', { class: 'questions', 'aria-label': 'properties' },
        h('h2', {}, 'Properties'),
        this.rows,
        h('button', { type: 'button', onclick: () => this.ask('ltl', '').focus() }, 'Add a property'),
        h('div', { class: 'fields' }, field('Engine', this.engine), field('Automaton', this.automaton), field('Seconds', this.timeout), field('States', this.states), field('Megabytes', this.memory)),
        h('div', { class: 'act' }, this.go, this.running.node),
        this.problem, this.verdicts));
    this.details = h('details', { class: 'inputs', open: true }, this.summary, form);
    return h('div', { class: 'tab check' }, this.details, this.report);
  }

  // A row for a property; its input.
  ask(logic, text) {
    const chosen = h('select', { 'aria-label': 'logic' }, LOGICS.map(([value, label]) => h('option', { value, selected: value === logic }, label)));
    const input = h('input', { class: 'formula', 'aria-label': 'formula', spellcheck: 'false', autocapitalize: 'off', value: text, placeholder: 'G(p -> F q)' });
    const row = h('li', {}, chosen, input, h('button', { type: 'button', 'aria-label': 'remove this property', title: 'remove', onclick: () => row.remove() }, '×'));
    this.rows.append(row);
    return input;
  }

  async begin() {
    const { examples } = await this.backend.call({ call: 'examples' });
    this.known = examples;
    this.examples.replaceChildren(h('option', { value: '' }, 'choose …'), ...examples.map((e, i) => h('option', { value: String(i) }, e.title)));
    this.examples.value = '0';
    this.load('0');
  }

  load(number) {
    const example = this.known?.[Number(number)];
    if (number === '' || !example) return;
    this.name.value = example.model.name;
    this.editor.value = example.model.text;
    this.file.value = '';
    this.rows.replaceChildren();
    for (const { logic, text } of example.properties) this.ask(logic, text);
  }

  async open() {
    const [file] = this.file.files;
    if (!file) return;
    this.examples.value = '';
    this.name.value = file.name;
    this.editor.value = await file.text();
  }

  // The request; null if nothing is asked.
  request() {
    const properties = [...this.rows.children].map((row) => ({
      logic: row.querySelector('select').value,
      text: row.querySelector('input').value.trim(),
    })).filter((property) => property.text);
    const request = {
      call: 'check',
      model: { name: this.name.value, text: this.editor.value },
      properties,
      engine: this.engine.value,
      automaton: this.automaton.value === 'auto' ? null : this.automaton.value,
    };
    if (this.timeout.value) request.timeout = Number(this.timeout.value);
    if (this.states.value) request.states = Number(this.states.value);
    if (this.memory.value) request.memory = Number(this.memory.value) * 1e6;
    return properties.length ? request : null;
  }

  say(text) {
    this.problem.hidden = text === null;
    this.problem.textContent = text ?? '';
  }

  async submit(event) {
    event.preventDefault();
    if (this.running.busy) return;
    this.say(null);
    this.editor.mark(null);
    this.verdicts.replaceChildren();
    const request = this.request();
    if (!request) {
      this.say('Nothing to check: write a property, such as G !deadlock.');
      return;
    }
    this.go.disabled = true;
    try {
      const report = await this.running.run(this.backend, request, (line) => {
        if (line.event === 'answer') this.verdicts.append(h('li', {}, badge(line), ' ', h('bdi', {}, line.formula ?? line.name ?? '')));
      });
      if (report) this.show(report);
    } catch (error) {
      this.say(error.rendered ?? error.message);
      this.editor.mark(error.line ?? null);
    } finally {
      this.go.disabled = false;
    }
  }

  show(report) {
    this.verdicts.replaceChildren();
    this.summary.replaceChildren('Model and properties · ', h('bdi', {}, report.model.name), ` · ${modelText(report.model)}`);
    this.details.open = false;
    showReport(this.report, report);
  }
}
