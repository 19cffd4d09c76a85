// The application: two tabs over one back end.
import { h } from '../viewer/dom.js';
import { tabs } from '../viewer/tabs.js';
import { themeButton } from '../viewer/theme.js';
import { connect } from './backend.js';
import { CheckTab } from './check.js';
import { FormulaTab } from './formulas.js';

const root = document.getElementById('app');
const tools = document.getElementById('tools');
const said = h('span', { class: 'quiet', role: 'status' }, 'connecting …');
tools.append(said, themeButton());
try {
  const { backend, version } = await connect();
  said.textContent = `${version} · ${backend.name}`;
  const views = { check: new CheckTab(backend), formulas: new FormulaTab(backend) };
  const show = (key) => root.replaceChildren(views[key].node);
  document.getElementById('model').append(tabs('what to do', [{ key: 'check', label: 'Check a model' }, { key: 'formulas', label: 'Formulas and automata' }], 'check', show));
  show('check');
  await views.check.begin();
  document.documentElement.dataset.ready = 'true';
} catch (error) {
  said.textContent = '';
  root.replaceChildren(h('p', { class: 'problem', role: 'alert' }, `Nothing answers: ${error.rendered ?? error.message}. Open this page by "dalsegno serve", or from a folder that "cargo xtask web" has made.`));
}
