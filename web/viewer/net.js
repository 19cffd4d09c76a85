// The net with the tokens of a state, the transition that was fired and those that are enabled.
import { h } from './dom.js';
import { Picture } from './picture.js';

// Drawings whose parts are smaller than this in the frame follow the run.
const READABLE = 0.5;

// Tokens as dots or a number.
function tokens(number) {
  if (number <= 3) return '•'.repeat(number);
  if (number < 1e4) return String(number);
  if (number < 1e6) return `${Math.floor(number / 1e3)}k`;
  return number < 1e9 ? `${Math.floor(number / 1e6)}M` : `${Math.floor(number / 1e9)}G`;
}

export class NetView {
  constructor(picture, trace, observed) {
    this.trace = trace;
    this.picture = new Picture(picture.svg, 'net');
    const svg = this.picture.svg;
    const all = (selector, attribute) => {
      const list = svg ? [...svg.querySelectorAll(selector)] : [];
      return new Map(list.map((node) => [Number(node.getAttribute(attribute)), node]));
    };
    this.places = all('.place', 'data-place');
    this.transitions = all('.transition', 'data-transition');
    this.arcs = new Map();
    for (const arc of svg ? svg.querySelectorAll('.arc') : []) {
      const t = Number(arc.getAttribute('data-transition'));
      if (!this.arcs.has(t)) this.arcs.set(t, []);
      this.arcs.get(t).push(arc);
    }
    for (const place of observed) this.places.get(place)?.classList.add('observed');
    this.marked = new Map();
    this.classed = [];
    this.follow = h('input', { type: 'checkbox', onchange: () => this.reveal() });
    this.picture.tools.prepend(h('label', { class: 'follow', title: 'keep the transition that fires in sight' }, this.follow, ' follow'));
    this.node = this.picture.node;
    const key = (name, text) => h('li', {}, h('span', { class: `key ${name}` }), text);
    this.node.append(h('ul', { class: 'legend' }, key('fired', 'just fired'), key('enabled', 'enabled'), key('next', 'fires next'), observed.length ? key('observed', 'observed') : null));
    this.asked = false;
  }

  set(node, name) {
    if (!node) return;
    node.classList.add(name);
    this.classed.push([node, name]);
  }

  show(time) {
    const position = this.trace.position(time);
    const { values, enabled } = this.trace.at(position);
    for (const [id, place] of this.places) {
      const number = values.get(id) ?? 0;
      if (this.marked.get(id) === number) continue;
      this.marked.set(id, number);
      place.querySelector('.tokens').textContent = tokens(number);
      place.classList.toggle('marked', number > 0);
    }
    for (const [node, name] of this.classed) node.classList.remove(name);
    this.classed = [];
    for (const t of enabled) this.set(this.transitions.get(t), 'enabled');
    const next = this.trace.next(time);
    if (next !== undefined && next !== null) this.set(this.transitions.get(next), 'next');
    const step = this.trace.step(time);
    this.shown = [];
    if (step && step.transition !== null) {
      const fired = this.transitions.get(step.transition);
      this.set(fired, 'fired');
      this.shown.push(fired);
      for (const arc of this.arcs.get(step.transition) ?? []) this.set(arc, 'fired');
      for (const [id] of step.changes) {
        this.set(this.places.get(id), 'touched');
        this.shown.push(this.places.get(id));
      }
    } else if (next !== undefined && next !== null) {
      this.shown.push(this.transitions.get(next));
    }
    this.reveal();
  }

  reveal() {
    // How large the frame is becomes known when it is shown.
    if (!this.asked && this.picture.frame.clientWidth > 0 && this.picture.svg) {
      this.asked = true;
      this.follow.checked = this.picture.fitScale() < READABLE;
    }
    if (this.follow.checked) this.picture.reveal(this.shown ?? []);
  }
}
