// A call that goes on: its progress, its time, and how to cancel it.
import { h, count, duration } from '../viewer/dom.js';

export class Running {
  constructor() {
    this.said = h('span', { role: 'status', 'aria-live': 'polite' });
    this.cancel = h('button', { type: 'button', class: 'cancel', hidden: true, onclick: () => this.controller?.abort(new DOMException('cancelled', 'AbortError')) }, 'Cancel');
    this.bar = h('progress', { 'aria-label': 'working', hidden: true });
    this.node = h('div', { class: 'running' }, this.cancel, this.bar, this.said);
  }

  get busy() {
    return this.controller !== undefined && this.controller !== null;
  }

  // Makes a call; undefined if it is cancelled.
  async run(backend, request, hear) {
    this.controller = new AbortController();
    const started = performance.now();
    this.cancel.hidden = false;
    this.bar.hidden = false;
    this.said.textContent = 'working …';
    try {
      const result = await backend.call(request, (event) => {
        if (event.event === 'progress') this.said.textContent = progressText(event, request);
        hear?.(event);
      }, this.controller.signal);
      this.said.textContent = `done in ${duration((performance.now() - started) / 1000)}`;
      return result;
    } catch (error) {
      if (error.name === 'AbortError') {
        this.said.textContent = 'cancelled';
        return undefined;
      }
      this.said.textContent = '';
      throw error;
    } finally {
      this.controller = null;
      this.cancel.hidden = true;
      this.bar.hidden = true;
    }
  }
}

function progressText(event, request) {
  const parts = [];
  if (event.method) parts.push(event.method);
  if (event.property !== null && request.properties?.length > 1) parts.push(`property ${event.property + 1} of ${request.properties.length}`);
  if (event.unfolded) parts.push(`${count(event.unfolded)} places unfolded`);
  if (event.states) parts.push(`${count(event.states)} states`);
  if (event.nodes) parts.push(`${count(event.nodes)} nodes of diagrams`);
  parts.push(duration(event.seconds));
  return parts.join(' · ');
}
