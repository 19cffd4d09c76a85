// The view of one answer: verdict, who answered, cost, and what shows it.
import { h, code, count, counted, duration, bytes } from './dom.js';
import { tabs } from './tabs.js';
import { Trace } from './trace.js';
import { NetView } from './net.js';
import { StateTable } from './state.js';
import { AutomatonView, KINDS } from './automaton.js';
import { Timeline } from './timeline.js';
import { Tree } from './tree.js';
import { Player } from './player.js';

// What to call a property.
export function titleOf(result) {
  return result.formula ?? result.name ?? '';
}

// The verdict as a badge.
export function badge(result) {
  const text = result.verdict === 'bound' ? `at most ${result.bound === '+inf' ? '∞' : result.bound}` : result.verdict;
  return h('span', { class: `badge ${result.verdict}` }, text);
}

const ASKS = { ltl: 'LTL', ctl: 'CTL', 'ctl*': 'CTL*', automaton: 'automaton', reachability: 'reachability', bound: 'bound', global: 'question' };

function lengthText(path) {
  if (path.cycle === null) return counted(path.states - 1, 'step');
  const cycle = `a cycle of ${counted(path.states - path.cycle, 'step')}`;
  return path.cycle === 0 ? cycle : `${counted(path.cycle, 'step')}, then ${cycle}`;
}

function evidenceText(result) {
  const [path] = result.paths;
  const least = result.shortest ? ', and none is shorter' : '';
  switch (result.evidence) {
    case 'run': return `a run: ${lengthText(path)}${least}`;
    case 'bad_prefix': return `a bad prefix: ${lengthText(path)}${least}; every run that begins so violates the property`;
    case 'good_prefix': return `a good prefix: ${lengthText(path)}${least}; every run that begins so is a witness`;
    case 'path': return `a path: ${lengthText(path)}${least}`;
    case 'explanation': return result.paths.length ? `a tree with ${counted(result.paths.length, 'path')}` : 'an explanation';
    default: return null;
  }
}

// Who answered and what it took.
function costs(result) {
  const list = [];
  if (result.method) list.push(['answered by', result.method]);
  if (result.explored) list.push(['explored', `${counted(result.explored.states, 'state')}, ${counted(result.explored.transitions, 'transition')}`]);
  if (result.automaton) list.push(['automaton', `${KINDS[result.automaton.kind]}, ${counted(result.automaton.states, 'state')}`]);
  if (result.diagrams) list.push(['diagrams', `${count(result.diagrams.peak_nodes)} nodes at most, order ${result.diagrams.order}`]);
  if (result.satisfying) list.push(['satisfied in', counted(result.satisfying.states, 'state')]);
  if (result.seconds !== null) list.push(['time', duration(result.seconds)]);
  if (result.peak_bytes !== null) list.push(['memory', bytes(result.peak_bytes)]);
  if (result.dead_ends) list.push(['dead ends', result.dead_ends]);
  if (result.fairness.length) list.push(['fair', result.fairness.join(', ')]);
  if (result.claims) list.push(['claims', `${count(result.claims.checked)} checked${result.claims.assumed ? `, ${count(result.claims.assumed)} about all paths were not` : ''}`]);
  if (result.certified) list.push(['checked', result.proof?.checked ? 'the proof, by the independent checker' : 'replayed, evaluated by definition']);
  return list;
}

function panel(name, title, ...content) {
  return h('section', { class: `panel ${name}`, 'aria-label': title }, ...content);
}

function heading(title, ...more) {
  return h('div', { class: 'heading' }, h('h3', {}, title), ...more);
}

export class ResultView {
  constructor(report, names, result) {
    this.report = report;
    this.names = names;
    this.result = result;
    const shown = evidenceText(result);
    const facts = h('ul', { class: 'reasons' });
    for (const reason of result.reasons) {
      facts.append(h('li', {}, h('button', { type: 'button', class: 'link', title: reason.text.length > 80 ? reason.text : null, onclick: () => this.player?.go(reason.state) }, h('bdi', { dir: 'ltr' }, reason.text))));
    }
    const problem = result.verdict === 'error' ? h('pre', { class: 'problem', role: 'alert' }, result.reason)
      : result.verdict === 'unknown' ? h('p', { class: 'problem' }, `No answer was found within the limits (${result.reason}).`) : null;
    this.stage = h('div', { class: 'stage' });
    this.node = h('article', { class: 'result', 'aria-label': titleOf(result) },
      h('header', { class: 'about' },
        h('div', { class: 'headline' }, badge(result), h('h2', {}, code(titleOf(result)))),
        result.name && result.formula ? h('p', { class: 'quiet' }, h('bdi', {}, result.name)) : null,
        problem,
        h('div', { class: 'why' },
          shown ? h('p', {}, `Shown by ${shown}${result.reasons.length ? ':' : '.'}`) : null,
          result.unshown ? h('p', { class: 'quiet' }, `Nothing is shown: ${result.unshown}.`) : null,
          result.reasons.length ? facts : null),
        h('dl', { class: 'costs' }, h('div', {}, h('dt', {}, 'asked'), h('dd', {}, ASKS[result.logic] ?? 'unknown')),
          costs(result).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))),
      this.stage);
    if (result.tree && result.paths.length) this.tree = new Tree(result.tree, (path, state) => this.choose(path, state));
    if (result.paths.length) this.choose(0, null);
    else this.stand();
    if (!this.stage.hasChildNodes()) this.stage.remove();
  }

  // Shows a path, from a state on if one is given.
  choose(number, state) {
    const path = this.result.paths[number];
    this.tree?.mark(number);
    if (this.number === number) {
      if (state !== null) this.player.go(state - path.from);
      return;
    }
    this.number = number;
    this.player?.stop();
    const trace = new Trace(path, this.names);
    this.trace = trace;
    this.player = new Player(trace, (time) => this.show(time));
    this.timeline = new Timeline(trace, (position) => {
      this.player.stop();
      this.player.go(position);
    });
    this.stage.replaceChildren(...this.panels(path, trace));
    this.player.go(state === null ? 0 : state - path.from);
  }

  // Shows what there is without a path: the claims, and the net with its first tokens.
  stand() {
    const { tree, picture, observed } = this.result;
    if (tree) this.stage.append(panel('tree', 'explanation', heading('Why'), h('div', { class: 'body' }, new Tree(tree, () => {}).node)));
    if (picture === null) return;
    const drawn = this.report.pictures[picture];
    const net = new NetView(drawn, null, observed);
    this.stage.append(panel('state', 'state', heading('Net at the beginning', this.left(drawn)), h('div', { class: 'body' }, net.node)));
    this.stage.className = `stage still${tree ? ' with-tree' : ''}`;
  }

  // How much of the net is drawn, if it is not all.
  left(picture) {
    const all = this.report.model.variables + this.report.model.transitions;
    return picture.left_out ? h('span', { class: 'quiet' }, `${count(all - picture.left_out)} of ${count(all)} nodes, around what the property observes and the run touches`) : null;
  }

  panels(path, trace) {
    const { observed } = this.result;
    const picture = path.picture === null ? null : this.report.pictures[path.picture];
    this.table = new StateTable(trace, !picture && !['net', 'coloured_net'].includes(this.report.model.kind), observed);
    this.net = picture ? new NetView(picture, trace, observed) : null;
    const body = h('div', { class: 'body' }, (this.net ?? this.table).node);
    const swap = (key) => {
      body.replaceChildren((key === 'picture' ? this.net : this.table).node);
      this.show(this.player.time);
    };
    const forms = [{ key: 'picture', label: 'Picture' }, { key: 'table', label: 'Table' }];
    const left = picture ? this.left(picture) : null;
    const state = panel('state', 'state',
      heading(picture ? 'Net' : 'State', left, picture ? tabs('form of the state', forms, 'picture', swap) : null), body);
    const automata = path.automata;
    this.automaton = null;
    const list = [state];
    if (this.tree) list.unshift(panel('tree', 'explanation', heading('Why'), h('div', { class: 'body' }, this.tree.node)));
    if (automata.length) {
      const used = this.result.automaton?.kind;
      const has = (a) => a.missing === undefined;
      const chosen = automata.find((a) => a.kind === used && has(a)) ?? automata.find(has) ?? automata[0];
      const content = h('div', { class: 'body' });
      const pick = (kind) => {
        const along = automata.find((a) => a.kind === kind);
        this.automaton = new AutomatonView(along, trace);
        content.replaceChildren(this.automaton.node);
        this.timeline.follow(this.automaton);
        if (this.player) this.show(this.player.time);
      };
      const kinds = automata.map((a) => ({ key: a.kind, label: KINDS[a.kind], quiet: !has(a), title: has(a) ? null : a.missing }));
      const title = this.result.logic === 'automaton' ? 'Automaton' : 'Automaton of the negation';
      list.push(panel('automata', title, heading(title, kinds.length > 1 ? tabs('kind of automaton', kinds, chosen.kind, pick) : null), content));
      this.pick = () => pick(chosen.kind);
    }
    const cut = path.shown < path.states
      ? h('p', { class: 'problem' }, `The path has ${counted(path.states, 'state')}; the first ${count(path.shown)} are in this report.`) : null;
    list.push(panel('time', 'time', this.player.node, cut, this.timeline.node));
    this.stage.className = `stage${this.tree ? ' with-tree' : ''}${automata.length ? ' with-automata' : ''}`;
    if (automata.length) {
      const { pick } = this;
      queueMicrotask(pick);
    }
    return list;
  }

  show(time) {
    if (this.net?.node.isConnected || !this.net) this.net?.show(time);
    if (this.table.node.isConnected || !this.net) this.table.show(time);
    this.automaton?.show(time);
    this.timeline.show(time);
  }

  key(event) {
    this.player?.key(event);
  }

  leave() {
    this.player?.stop();
  }
}
