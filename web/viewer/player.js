// Time along a path: steps forward and back, play, jumps.
import { h } from './dom.js';
import { changesText } from './trace.js';

const PACE = 900;

export class Player {
  // `show` is called with the new time.
  constructor(trace, show) {
    this.trace = trace;
    this.show = show;
    this.time = 0;
    this.timer = null;
    const button = (sign, title, act) => h('button', { type: 'button', title, 'aria-label': title, onclick: act }, sign);
    this.buttons = {
      home: button('|◀\uFE0E', 'first state (Home)', () => this.go(0)),
      back: button('◀\uFE0E', 'step back (←)', () => this.step(-1)),
      play: button('▶\uFE0E Play', 'play (space)', () => this.toggle()),
      next: button('▶\uFE0E', 'step (→)', () => this.step(1)),
      end: button('▶\uFE0E|', 'last state (End)', () => this.go(this.trace.length - 1)),
    };
    this.slider = h('input', {
      type: 'range', min: '0', max: String(trace.length - 1), value: '0', 'aria-label': 'state',
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.place = h('strong', { class: 'place-now' });
    this.said = h('span', { class: 'said' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, this.place, ' — ', this.said);
    const { home, back, play, next, end } = this.buttons;
    this.node = h('div', { class: 'player' },
      h('div', { class: 'controls', role: 'group', 'aria-label': 'steps' }, home, back, next, end, play, this.slider),
      this.status);
  }

  go(time) {
    this.time = Math.max(0, Math.min(time, this.trace.last()));
    this.refresh();
  }

  step(by) {
    this.go(this.time + by);
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.time >= this.trace.last()) this.go(0);
    this.buttons.play.textContent = '❚❚ Pause';
    // Who listens would hear every step.
    this.status.setAttribute('aria-live', 'off');
    this.timer = setInterval(() => {
      if (this.time >= this.trace.last() || !this.node.isConnected) this.stop();
      else this.step(1);
    }, PACE);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.buttons.play.textContent = '▶\uFE0E Play';
    this.status.setAttribute('aria-live', 'polite');
  }

  refresh() {
    const { trace, time } = this;
    const { names } = trace;
    const position = trace.position(time);
    this.slider.value = String(position);
    this.buttons.home.disabled = time === 0;
    this.buttons.back.disabled = time === 0;
    this.buttons.next.disabled = time >= trace.last();
    this.buttons.end.disabled = trace.length === 1;
    this.buttons.play.disabled = trace.last() === 0;
    const round = trace.round(time);
    const where = round > 1 ? ` · cycle, round ${round}` : round === 1 ? ' · cycle' : '';
    this.place.textContent = `State ${trace.number(position)}${where}`;
    const step = trace.step(time);
    this.said.replaceChildren();
    if (!step) {
      this.said.append('the path begins here');
    } else if (step.transition === null) {
      this.said.append('nothing can happen: the state is repeated');
    } else {
      this.said.append(h('b', {}, h('bdi', {}, names.transition(step.transition))), ` fired: ${changesText(names, step.changes)}`);
    }
    this.show(time);
  }

  // Keys that move in time, unless they mean something where they are pressed.
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.target.localName;
    if (['input', 'textarea', 'select'].includes(target) && event.target !== this.slider && event.target.type !== 'checkbox') return;
    const acts = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.go(0),
      End: () => this.go(this.trace.length - 1),
    };
    if (event.key === ' ' && !['button', 'input', 'summary', 'a'].includes(target)) acts[' '] = () => this.toggle();
    const act = acts[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }
}
