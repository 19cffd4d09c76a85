// The page of a report: its data is in the page.
import { h } from './dom.js';
import { showReport, modelText } from './report.js';
import { themeButton } from './theme.js';

const data = JSON.parse(document.getElementById('data').textContent);
document.title = `${data.model.name} · dalsegno`;
document.getElementById('model').append(h('h1', {}, h('bdi', {}, data.model.name)), h('p', { class: 'quiet' }, modelText(data.model)));
document.getElementById('tools').append(h('span', { class: 'quiet' }, `dalsegno ${data.version}`), themeButton());
showReport(document.getElementById('report'), data);
