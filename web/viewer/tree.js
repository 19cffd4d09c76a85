// The claims of an explanation as a nested list; those with a path choose it.
import { h, code } from './dom.js';

const NOTES = {
  'all paths': (claim) => (claim.holds ? 'on all paths' : 'no path does that'),
  elsewhere: () => 'shown elsewhere',
  omitted: () => 'the path is left out',
};

export class Tree {
  // `choose` is called with the number of a path, and a state of it or null.
  constructor(root, choose) {
    this.buttons = [];
    this.choose = choose;
    this.node = h('nav', { class: 'tree', 'aria-label': 'explanation' }, h('ul', {}, this.claim(root, null)));
  }

  // A claim about a state of a path.
  claim(claim, path) {
    const note = NOTES[claim.reason]?.(claim);
    const words = [
      h('span', { class: claim.holds ? 'sign holds' : 'sign fails', 'aria-hidden': 'true' }, claim.holds ? '✓' : '✗'),
      code(claim.formula, { title: claim.formula }),
      h('span', { class: 'quiet' }, ` ${claim.holds ? 'holds' : 'fails'} in state ${claim.state}${note ? `: ${note}` : ''}`),
    ];
    const own = claim.path !== null;
    const target = own ? claim.path : path;
    const button = h('button', {
      type: 'button', class: own ? 'claim' : 'claim plain', disabled: target === null,
      onclick: () => this.choose(target, own ? null : claim.state),
    }, ...words, own ? h('span', { class: 'way' }, 'path') : null);
    if (own) this.buttons.push([claim.path, button]);
    return h('li', {}, button, claim.claims.length ? h('ul', {}, claim.claims.map((c) => this.claim(c, own ? claim.path : path))) : null);
  }

  mark(path) {
    for (const [number, button] of this.buttons) {
      if (number === path) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
  }
}
