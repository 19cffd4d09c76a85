// Which back end answers: the one that the address names (`?backend=serve`, `?backend=wasm`), or the server that the page comes
// from, or else the browser itself.
import { serveBackend } from '../backend-serve.js';
import { wasmBackend } from '../backend-wasm.js';

export async function connect() {
  const wanted = new URLSearchParams(location.search).get('backend');
  const makers = { serve: [serveBackend], wasm: [wasmBackend] }[wanted] ?? [serveBackend, wasmBackend];
  let failure = null;
  for (const make of makers) {
    const backend = make();
    try {
      const { version } = await backend.call({ call: 'version' });
      return { backend, version };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
