// A call that goes on: its progress, its time, and how to cancel it.
import { h, count, duration } from '../viewer/dom.js';

// How often the time is shown anew, in milliseconds.
const TICK = 250;

export class Running {
  constructor() {
    this.said = h('span', { class: 'said' });
    // Who listens hears beginnings and ends, not every number.
    this.told = h('span', { class: 'hidden', role: 'status' });
    this.cancel = h('button', { type: 'button', class: 'cancel', hidden: true, onclick: () => this.controller?.abort(new DOMException('cancelled', 'AbortError')) }, 'Cancel');
    this.bar = h('progress', { 'aria-label': 'working', hidden: true });
    this.node = h('div', { class: 'running' }, this.cancel, this.bar, this.said, this.told);
  }

  get busy() {
    return this.controller !== undefined && this.controller !== null;
  }

  say(text) {
    this.said.textContent = text;
    this.told.textContent = text;
  }

  // Makes a call; undefined if it is cancelled.
  async run(backend, request, hear) {
    this.controller = new AbortController();
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    this.cancel.hidden = false;
    this.bar.hidden = false;
    this.say('working …');
    let seen = null;
    // Some methods tell nothing for a long time; the clock goes on.
    const timer = setInterval(() => { this.said.textContent = progressText(seen, request, seconds()); }, TICK);
    try {
      const result = await backend.call(request, (event) => {
        if (event.event === 'progress') seen = event;
        hear?.(event);
      }, this.controller.signal);
      this.say(`done in ${duration(seconds())}`);
      return result;
    } catch (error) {
      if (error.name === 'AbortError') {
        this.say('cancelled');
        return undefined;
      }
      this.say('');
      throw error;
    } finally {
      clearInterval(timer);
      this.controller = null;
      this.cancel.hidden = true;
      this.bar.hidden = true;
    }
  }
}

// What was seen last, which is null at first.
function progressText(seen, request, seconds) {
  const parts = [seen?.method ?? 'working …'];
  if (seen && seen.property !== null && request.properties?.length > 1) parts.push(`property ${seen.property + 1} of ${request.properties.length}`);
  if (seen?.unfolded) parts.push(`${count(seen.unfolded)} places unfolded`);
  if (seen?.states) parts.push(`${count(seen.states)} states`);
  if (seen?.nodes) parts.push(`${count(seen.nodes)} nodes of diagrams`);
  parts.push(duration(seconds));
  return parts.join(' · ');
}
