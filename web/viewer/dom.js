// Elements are made here and nowhere else: texts of a report become text nodes and attribute values, never markup.

const SVG = 'http://www.w3.org/2000/svg';

// An element with attributes, listeners (`onclick`, ...) and children; null children are left out.
export function h(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A drawing of the engine as an element. It is trusted no more than the names in it: what could run or load is left out.
export function drawing(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (parsed.namespaceURI !== SVG || parsed.localName !== 'svg') return null;
  for (const node of [parsed, ...parsed.querySelectorAll('*')]) {
    if (['script', 'foreignObject', 'image', 'use', 'a', 'iframe'].includes(node.localName)) {
      node.remove();
      continue;
    }
    for (const { name } of [...node.attributes]) {
      if (/^on/i.test(name) || /href$/i.test(name)) node.removeAttribute(name);
    }
  }
  return document.importNode(parsed, true);
}

// A formula or a name. Formulas run from left to right, whatever names are in them, and move nothing beside them.
export function code(text, attributes) {
  return h('code', { dir: 'ltr', ...attributes }, text);
}

// A number with thin groups of digits; large counts come as strings.
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

// `1 state`, `2 states`.
export function counted(value, noun) {
  return `${count(value)} ${noun}${String(value) === '1' ? '' : 's'}`;
}

// A duration for people.
export function duration(seconds) {
  if (seconds < 0.001) return 'less than 1 ms';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${seconds < 10 ? seconds.toFixed(2) : Math.round(seconds)} s`;
}

// A size for people.
export function bytes(value) {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = value;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
