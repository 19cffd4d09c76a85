// A drawing that can be moved, enlarged and fitted to its frame. What is placed in it never moves.
import { h, drawing } from './dom.js';

const LARGEST = 4;
// Drawings whose parts are smaller than this in the frame follow what happens in them.
const READABLE = 0.5;

export class Picture {
  // `about` is what a screen reader calls it.
  constructor(text, about) {
    this.svg = drawing(text);
    const button = (sign, title, act) => h('button', { type: 'button', class: 'tool', title, 'aria-label': title, onclick: act }, sign);
    this.frame = h('div', { class: 'frame', tabindex: '0', role: 'group', 'aria-label': about });
    this.tools = h('div', { class: 'tools' },
      button('+', 'larger (+)', () => this.zoom(1.3)),
      button('−', 'smaller (-)', () => this.zoom(1 / 1.3)),
      button('fit', 'fit to view (0)', () => this.fit()));
    // Below the frame: over it, the buttons would cover what is drawn there.
    this.bar = h('div', { class: 'bar' }, this.tools);
    this.node = h('div', { class: 'picture' }, this.frame, this.bar);
    if (!this.svg) {
      this.frame.append(h('p', { class: 'quiet' }, 'The drawing could not be read.'));
      return;
    }
    const box = (this.svg.getAttribute('viewBox') || '').split(/[ ,]+/).map(Number);
    const width = Number.parseFloat(this.svg.getAttribute('width')) || 100;
    const height = Number.parseFloat(this.svg.getAttribute('height')) || 100;
    this.whole = box.length === 4 && box.every(Number.isFinite) ? box : [0, 0, width, height];
    this.view = [...this.whole];
    this.fitted = true;
    this.svg.removeAttribute('width');
    this.svg.removeAttribute('height');
    this.svg.setAttribute('preserveAspectRatio', 'xMidYMid meet');
    this.frame.append(this.svg);
    this.listen();
    new ResizeObserver(() => this.resized()).observe(this.frame);
  }

  resized() {
    if (this.fitted) this.fit();
    else this.show();
  }

  // Pixels per unit of the drawing.
  scale() {
    const { clientWidth, clientHeight } = this.frame;
    return Math.min(clientWidth / this.view[2], clientHeight / this.view[3]) || 1;
  }

  // Pixels per unit where all of it is seen.
  fitScale() {
    const { clientWidth, clientHeight } = this.frame;
    return Math.min(clientWidth / this.whole[2], clientHeight / this.whole[3]) || 1;
  }

  show() {
    this.svg.setAttribute('viewBox', this.view.map((n) => n.toFixed(2)).join(' '));
  }

  // All of it, and no larger than it was drawn by a half.
  fit() {
    const { clientWidth, clientHeight } = this.frame;
    const [x, y, width, height] = this.whole;
    const scale = Math.min(this.fitScale(), 1.5);
    const w = clientWidth / scale || width;
    const hh = clientHeight / scale || height;
    this.view = [x + width / 2 - w / 2, y + height / 2 - hh / 2, w, hh];
    this.fitted = true;
    this.show();
  }

  // Enlarges around a point of the frame, its centre if there is none.
  zoom(factor, point) {
    const wanted = this.scale() * factor;
    const least = Math.min(this.fitScale() / 2, 0.5);
    const real = Math.max(least, Math.min(LARGEST, wanted)) / this.scale();
    const at = point ? this.unit(point) : [this.view[0] + this.view[2] / 2, this.view[1] + this.view[3] / 2];
    this.view = [at[0] - (at[0] - this.view[0]) / real, at[1] - (at[1] - this.view[1]) / real, this.view[2] / real, this.view[3] / real];
    this.fitted = false;
    this.show();
  }

  // A point of the frame in units of the drawing.
  unit([x, y]) {
    const { clientWidth, clientHeight } = this.frame;
    const scale = this.scale();
    const left = (clientWidth - this.view[2] * scale) / 2;
    const top = (clientHeight - this.view[3] * scale) / 2;
    return [this.view[0] + (x - left) / scale, this.view[1] + (y - top) / scale];
  }

  pan(dx, dy) {
    const scale = this.scale();
    this.view[0] -= dx / scale;
    this.view[1] -= dy / scale;
    this.fitted = false;
    this.show();
  }

  // Shows these elements at a size that can be read, if they are out of sight or too small.
  reveal(elements) {
    const boxes = elements.filter((e) => e && e.getBBox).map((e) => e.getBBox());
    if (boxes.length === 0 || this.frame.clientWidth === 0) return;
    const left = Math.min(...boxes.map((b) => b.x));
    const top = Math.min(...boxes.map((b) => b.y));
    const right = Math.max(...boxes.map((b) => b.x + b.width));
    const bottom = Math.max(...boxes.map((b) => b.y + b.height));
    const [x, y, w, hh] = this.view;
    const scale = this.scale();
    const seen = left >= x && top >= y && right <= x + w && bottom <= y + hh;
    if (seen && scale >= 0.6) return;
    const { clientWidth, clientHeight } = this.frame;
    const fits = Math.min(clientWidth / (right - left + 80), clientHeight / (bottom - top + 80));
    const wanted = Math.min(1, Math.max(0.6, scale), Math.max(fits, 0.3));
    const width = clientWidth / wanted;
    const height = clientHeight / wanted;
    this.view = [(left + right) / 2 - width / 2, (top + bottom) / 2 - height / 2, width, height];
    this.fitted = false;
    this.show();
  }

  // Keeps elements in sight, if that is wanted; unless somebody says so it is where the drawing is too small to be read.
  track(elements) {
    this.tracked = elements;
    if (!this.svg) return;
    if (!this.follow) {
      this.follow = h('input', { type: 'checkbox', onchange: () => this.track(this.tracked) });
      this.tools.prepend(h('label', { class: 'follow', title: 'keep what happens in sight' }, this.follow, ' follow'));
    }
    // How large the frame is becomes known when it is shown.
    if (!this.asked && this.frame.clientWidth > 0) {
      this.asked = true;
      this.follow.checked = this.fitScale() < READABLE;
    }
    if (this.follow.checked) this.reveal(elements);
  }

  listen() {
    const down = new Map();
    const place = (event) => {
      const box = this.frame.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.frame.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      down.set(event.pointerId, place(event));
      this.frame.setPointerCapture(event.pointerId);
    });
    this.frame.addEventListener('pointermove', (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      const other = [...down].find(([id]) => id !== event.pointerId);
      if (other) {
        const distance = (p) => Math.hypot(p[0] - other[1][0], p[1] - other[1][1]) || 1;
        this.zoom(distance(now) / distance(before), other[1]);
      } else {
        this.pan(now[0] - before[0], now[1] - before[1]);
      }
      down.set(event.pointerId, now);
    });
    for (const name of ['pointerup', 'pointercancel']) {
      this.frame.addEventListener(name, (event) => down.delete(event.pointerId));
    }
    // The wheel alone scrolls the page.
    this.frame.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), place(event));
    }, { passive: false });
    this.frame.addEventListener('keydown', (event) => {
      const far = 60;
      const moves = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
      if (event.key === '+' || event.key === '=') this.zoom(1.3);
      else if (event.key === '-') this.zoom(1 / 1.3);
      else if (event.key === '0') this.fit();
      else if (event.shiftKey && moves[event.key]) this.pan(...moves[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
