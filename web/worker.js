// A worker that answers requests one after the other. A message `{ id, request }` is answered by messages `{ id, line }`, the
// last of which is an event `done` or `error`. To cancel a call, end the worker and start another one.
import { compile, instance, trapped } from "./wasm.mjs";

// More than this is not kept between calls: an instance never gives memory back.
const KEPT_BYTES = 256 * 2 ** 20;

const module = fetch(new URL("dalsegno.wasm", import.meta.url)).then(compile);
let ready = null;

onmessage = async ({ data: { id, request } }) => {
  let ended = false;
  const tell = (line) => {
    ended ||= line.event === "done" || line.event === "error";
    postMessage({ id, line });
  };
  try {
    ready ??= instance(await module);
    ready.call(request, tell);
    if (ready.bytes() > KEPT_BYTES) ready = null;
  } catch (error) {
    ready = null;
    if (!ended) tell(trapped(error));
  }
};
