// Which back end answers: the one that the address names (`?backend=serve`, `?backend=wasm`), or else the one that the page names.
// Trying one after the other would leave an error in the console of every page without a server.
import { serveBackend } from '../backend-serve.js';
import { wasmBackend } from '../backend-wasm.js';

const MAKERS = { serve: serveBackend, wasm: wasmBackend };

export async function connect() {
  const wanted = new URLSearchParams(location.search).get('backend');
  const own = document.querySelector('meta[name="dalsegno-backend"]')?.content;
  const backend = (MAKERS[wanted] ?? MAKERS[own] ?? serveBackend)();
  const { version } = await backend.call({ call: 'version' });
  return { backend, version };
}
