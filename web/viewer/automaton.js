// The automata along a path: the one that is chosen, with its current state and the edge that it took.
import { h, code, counted } from './dom.js';
import { Picture } from './picture.js';
import { around } from './trace.js';

export const KINDS = { tgba: 'TGBA', ba: 'BA', ta: 'TA', tgta: 'TGTA' };

// What an edge reads, as text.
export function edgeText(automaton, edge) {
  if (edge.guard) return edge.guard.text === 'true' ? 'any letter' : edge.guard.text;
  const sets = edge.changes.map((set) => (set.length === 0 ? '∅' : `{${set.map((p) => automaton.propositions[p]).join(', ')}}`));
  const shown = sets.slice(0, 4).join(' ');
  return sets.length > 4 ? `${shown} and ${sets.length - 4} more` : shown;
}

export class AutomatonView {
  constructor(along, trace) {
    this.along = along;
    this.trace = trace;
    this.said = h('p', { class: 'said' });
    this.classed = [];
    if (along.missing !== undefined) {
      const what = `There is no ${KINDS[along.kind]} here: ${along.missing}.`;
      this.node = h('div', { class: 'automaton' }, h('p', { class: 'empty' }, what));
      return;
    }
    const a = along.automaton;
    const sets = a.acceptance_sets === 1 ? '1 acceptance set' : `${a.acceptance_sets} acceptance sets`;
    const about = `${KINDS[along.kind]}, ${counted(a.states.length, 'state')}, ${sets}`;
    if (along.picture) {
      this.picture = new Picture(along.picture.svg, `${KINDS[along.kind]} of the negation`);
      const svg = this.picture.svg;
      this.states = new Map([...(svg ? svg.querySelectorAll('.state') : [])].map((n) => [Number(n.getAttribute('data-state')), n]));
      this.edges = [...(svg ? svg.querySelectorAll('.edge') : [])];
    }
    this.node = h('div', { class: 'automaton' },
      this.picture ? this.picture.node : h('p', { class: 'empty' }, `The automaton has ${counted(a.states.length, 'state')} and is not drawn.`),
      h('div', { class: 'caption' }, this.said, h('p', { class: 'quiet' }, about, (along.legend ?? []).map(([letter, meaning]) => [' · ', h('b', {}, letter), ' = ', code(meaning)]))));
  }

  // The state at a moment; undefined where there is none.
  state(time) {
    if (this.along.missing !== undefined) return undefined;
    return this.along.states[around(time, this.along.states.length, this.along.cycle)];
  }

  // The step of the automaton at a moment.
  step(time) {
    const i = around(time, this.along.states.length, this.along.cycle);
    return { state: this.along.states[i], edge: this.along.edges[i], marks: this.along.marks[i] };
  }

  // The elements of the edge that is taken at a moment.
  drawn(step, target) {
    if (step.edge === null) return [];
    return (this.edges ?? []).filter((node) => Number(node.getAttribute('data-from')) === step.state
      && Number(node.getAttribute('data-to')) === target
      && (node.getAttribute('data-edges') || '').split(' ').includes(String(step.edge)));
  }

  set(node, name) {
    if (!node) return;
    node.classList.add(name);
    this.classed.push([node, name]);
  }

  show(time) {
    if (this.along.missing !== undefined) return;
    for (const [node, name] of this.classed) node.classList.remove(name);
    this.classed = [];
    const now = this.step(time);
    this.set(this.states?.get(now.state), 'now');
    const words = [];
    if (time > 0) {
      const before = this.step(time - 1);
      for (const node of this.drawn(before, now.state)) this.set(node, 'taken');
      words.push(before.edge === null ? 'It stayed' : this.edge(before), ' and is in ', h('strong', {}, `state ${now.state}`), '.');
    } else {
      words.push('It begins in ', h('strong', {}, `state ${now.state}`), '.');
    }
    // At the end of a prefix the automaton is, or comes to be, where all is accepted.
    if (this.along.cycle === null && time === this.trace.last() && this.trace.length === this.trace.path.states) {
      const last = this.along.states.at(-1);
      if (this.along.states.length > this.trace.length) {
        for (const node of this.drawn(now, last)) this.set(node, 'taken');
        this.set(this.states?.get(last), 'decided');
        words.push(` With this state it comes to state ${last}, which accepts whatever follows.`);
      } else {
        this.set(this.states?.get(last), 'decided');
        words.push(' This state accepts whatever follows.');
      }
    }
    this.said.replaceChildren(...words);
    this.picture?.track(this.classed.filter(([node]) => node.classList.contains('state')).map(([node]) => node));
  }

  // An edge in words.
  edge(step) {
    const { automaton } = this.along;
    const edge = automaton.states[step.state].edges[step.edge];
    const marks = step.marks.length === 0 ? '' : `, which has mark${step.marks.length > 1 ? 's' : ''} ${step.marks.join(', ')},`;
    return h('span', {}, 'It took ', code(edgeText(automaton, edge)), marks);
  }
}
