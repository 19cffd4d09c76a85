// The back end in the browser: a worker with the module of WebAssembly. It works on one call at a time; a call that is
// cancelled ends its worker, and the next call starts another one.
import { CallError, ended } from './backend-serve.js';

export function wasmBackend() {
  let worker = null;
  let number = 0;
  let turn = Promise.resolve();

  function ask(request, onEvent, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      worker ??= new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
      const mine = worker;
      number += 1;
      const id = number;
      const stop = (error) => {
        mine.terminate();
        if (worker === mine) worker = null;
        settle(() => reject(error));
      };
      const cancel = () => stop(signal.reason);
      const settle = (act) => {
        signal?.removeEventListener('abort', cancel);
        mine.onmessage = null;
        mine.onerror = null;
        act();
      };
      signal?.addEventListener('abort', cancel);
      mine.onerror = (event) => {
        event.preventDefault();
        stop(new CallError({ message: `the worker has ended: ${event.message ?? 'it could not be loaded'}` }));
      };
      mine.onmessage = ({ data }) => {
        if (data.id !== id) return;
        const { line } = data;
        if (line.event !== 'done' && line.event !== 'error') {
          onEvent?.(line);
          return;
        }
        settle(() => {
          try {
            resolve(ended(line));
          } catch (error) {
            reject(error);
          }
        });
      };
      mine.postMessage({ id, request });
    });
  }

  return {
    name: 'in this browser',
    call(request, onEvent, signal) {
      const answer = turn.then(() => ask(request, onEvent, signal));
      turn = answer.catch(() => {});
      return answer;
    },
  };
}
