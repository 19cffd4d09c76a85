// Light or dark: as the system says, until somebody chooses.
import { h } from './dom.js';

function stored(value) {
  // Pages that are files may have no storage.
  try {
    if (value === undefined) return localStorage.getItem('dalsegno-theme');
    localStorage.setItem('dalsegno-theme', value);
  } catch {
    return null;
  }
  return value;
}

export function themeButton() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const dark = () => (document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const known = stored();
  if (known === 'dark' || known === 'light') document.documentElement.dataset.theme = known;
  const button = h('button', { type: 'button', class: 'theme' });
  const name = () => {
    button.textContent = dark() ? 'Light' : 'Dark';
    button.title = `use ${dark() ? 'light' : 'dark'} colours`;
  };
  button.addEventListener('click', () => {
    const next = dark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    stored(next);
    name();
  });
  system.addEventListener('change', name);
  name();
  return button;
}
