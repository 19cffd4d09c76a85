// The net with the tokens of a state, the transition that was fired and those that are enabled.
import { h } from './dom.js';
import { Picture } from './picture.js';

// Tokens as dots or a number, as in the drawing of the engine.
function tokens(number) {
  if (number <= 3) return '•'.repeat(number);
  if (number < 1e4) return String(number);
  if (number < 1e6) return `${Math.floor(number / 1e3)}k`;
  return number < 1e9 ? `${Math.floor(number / 1e6)}M` : `${Math.floor(number / 1e9)}G`;
}

// The size of that text, so that it fits into a place.
function tokenSize(text) {
  if (text.startsWith('•') || text.length < 3) return 18;
  return text.length === 3 ? 13 : 11;
}

export class NetView {
  // Without a trace it stands still.
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
    this.node = this.picture.node;
    const key = (name, text) => h('li', {}, h('span', { class: `key ${name}` }), text);
    this.picture.bar.prepend(h('ul', { class: 'legend' }, trace ? [key('fired', 'just fired'), key('enabled', 'enabled'), key('next', 'fires next')] : null, observed.length ? key('observed', 'observed') : null));
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
      const shown = place.querySelector('.tokens');
      const text = tokens(number);
      shown.textContent = text;
      const size = tokenSize(text);
      shown.setAttribute('font-size', size);
      shown.setAttribute('y', Number(place.querySelector('circle').getAttribute('cy')) + size / 3);
      place.classList.toggle('marked', number > 0);
    }
    for (const [node, name] of this.classed) node.classList.remove(name);
    this.classed = [];
    for (const t of enabled) this.set(this.transitions.get(t), 'enabled');
    const next = this.trace.next(time);
    if (next !== undefined && next !== null) this.set(this.transitions.get(next), 'next');
    const step = this.trace.step(time);
    const shown = [];
    if (step && step.transition !== null) {
      const fired = this.transitions.get(step.transition);
      this.set(fired, 'fired');
      shown.push(fired);
      for (const arc of this.arcs.get(step.transition) ?? []) this.set(arc, 'fired');
      for (const [id] of step.changes) {
        this.set(this.places.get(id), 'touched');
        shown.push(this.places.get(id));
      }
    } else if (next !== undefined && next !== null) {
      shown.push(this.transitions.get(next));
    }
    this.picture.track(shown);
  }
}
