// The view of a report: a list of properties with their verdicts, and the one that is chosen.
import { h, code, counted } from './dom.js';
import { Names } from './trace.js';
import { ResultView, badge, titleOf } from './result.js';

const MODELS = { net: 'Petri net', coloured_net: 'coloured Petri net', program: 'program', tables: 'tables' };

const HELP = 'Keys: ← → step, space play, Home and End go to the first and the last state, + − 0 enlarge and fit a picture, shift with arrows moves it.';

let current = null;

document.addEventListener('keydown', (event) => {
  if (current?.node.isConnected && !event.defaultPrevented) current.key(event);
});

// What the model is, in a line.
export function modelText(model) {
  if (!model.kind) return 'was not read';
  const net = model.kind === 'net' || model.kind === 'coloured_net';
  const parts = `${counted(model.variables ?? '?', net ? 'place' : 'variable')}, ${counted(model.transitions ?? '?', 'transition')}`;
  return `${MODELS[model.kind]}, ${parts}${model.kind === 'coloured_net' ? ' unfolded' : ''}`;
}

// Shows a report in an element; the result that is most worth a look comes first.
export function showReport(root, report) {
  const names = new Names(report);
  const { results } = report;
  const main = h('div', { class: 'chosen' });
  const items = results.map((result, i) => h('button', { type: 'button', class: 'property', onclick: () => choose(i) },
    badge(result), h('span', { class: 'text' }, result.name && result.formula ? h('small', {}, h('bdi', {}, result.name)) : null, code(titleOf(result)))));
  function choose(i) {
    current?.leave();
    items.forEach((item, j) => {
      if (i === j) item.setAttribute('aria-current', 'true');
      else item.removeAttribute('aria-current');
    });
    current = new ResultView(report, names, results[i]);
    main.replaceChildren(current.node);
    current.player?.refresh();
  }
  const tally = {};
  for (const { verdict } of results) tally[verdict] = (tally[verdict] ?? 0) + 1;
  const summary = Object.entries(tally).map(([verdict, n]) => `${n} ${verdict}`).join(', ');
  const list = results.length > 1 ? h('nav', { class: 'properties', 'aria-label': 'properties' },
    h('p', { class: 'quiet' }, `${counted(results.length, 'property').replace('propertys', 'properties')}: ${summary}`),
    h('ul', {}, items.map((item) => h('li', {}, item)))) : null;
  root.classList.add('report');
  root.replaceChildren(h('div', { class: `content${list ? ' with-list' : ''}` }, list, main), h('p', { class: 'keys quiet' }, HELP));
  const worth = results.findIndex((result) => result.paths.length > 0);
  if (results.length) choose(Math.max(0, worth));
}
