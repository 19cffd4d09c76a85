// A row of tabs: one of them is chosen, by click or by arrow keys.
import { h } from './dom.js';

// `choices` is a list of `{ key, label, title }`; `choose` hears the key.
export function tabs(label, choices, chosen, choose) {
  const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  const buttons = choices.map((choice) => h('button', {
    type: 'button', role: 'tab', title: choice.title, class: choice.quiet ? 'quiet' : null, 'data-key': choice.key,
    onclick: () => pick(choice.key),
  }, choice.label));
  const mark = (key) => {
    choices.forEach((choice, i) => {
      buttons[i].setAttribute('aria-selected', String(choice.key === key));
      buttons[i].tabIndex = choice.key === key ? 0 : -1;
    });
  };
  const pick = (key) => {
    mark(key);
    choose(key);
  };
  list.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = buttons.findIndex((b) => b.getAttribute('aria-selected') === 'true');
    const to = (at + by + buttons.length) % buttons.length;
    buttons[to].focus();
    pick(choices[to].key);
    event.preventDefault();
    event.stopPropagation();
  });
  list.append(...buttons);
  mark(chosen);
  return list;
}
