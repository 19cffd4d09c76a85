// A text with line numbers; the line of an error is marked.
import { h } from '../viewer/dom.js';

export class Editor {
  constructor(label) {
    this.text = h('textarea', { class: 'text', spellcheck: 'false', wrap: 'off', 'aria-label': label, autocapitalize: 'off', autocomplete: 'off', rows: '12' });
    this.gutter = h('pre', { class: 'gutter', 'aria-hidden': 'true' });
    this.node = h('div', { class: 'editor' }, this.gutter, this.text);
    this.bad = null;
    this.lines = 0;
    this.text.addEventListener('input', () => {
      this.bad = null;
      this.number();
    });
    this.text.addEventListener('scroll', () => { this.gutter.scrollTop = this.text.scrollTop; });
    this.number();
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.text.scrollTop = 0;
    this.bad = null;
    this.number();
  }

  number() {
    const lines = this.text.value.split('\n').length;
    const parts = [];
    for (let i = 1; i <= lines; i += 1) {
      if (i === this.bad) parts.push(h('mark', {}, String(i)), '\n');
      else parts.push(`${i}\n`);
    }
    this.gutter.replaceChildren(...parts);
    this.gutter.scrollTop = this.text.scrollTop;
  }

  // Marks a line and brings it into sight; none if it is null.
  mark(line) {
    this.bad = line;
    this.number();
    if (line === null) return;
    const height = Number.parseFloat(getComputedStyle(this.text).lineHeight) || 18;
    this.text.scrollTop = Math.max(0, (line - 4) * height);
    this.gutter.scrollTop = this.text.scrollTop;
  }
}
