// The module of WebAssembly: requests in, lines out. Works in workers of browsers and in Node.

/** Compiles the module: a `Response`, or its bytes. */
export function compile(source) {
  return typeof Response !== "undefined" && source instanceof Response
    ? WebAssembly.compileStreaming(source)
    : WebAssembly.compile(source);
}

/**
 * An instance of the module. `call(request, hear)` answers a request, an object or its text; `hear` gets each line as an
 * object. A trap (no memory left, no stack left) is an exception, after which the instance is of no use.
 */
export function instance(module) {
  let hear = () => {};
  const decoder = new TextDecoder();
  const imports = {
    dalsegno: {
      now: () => performance.now(),
      line: (address, length) => {
        const bytes = new Uint8Array(exports.memory.buffer, address >>> 0, length >>> 0);
        hear(JSON.parse(decoder.decode(bytes)));
      },
    },
  };
  const { exports } = new WebAssembly.Instance(module, imports);
  return {
    call(request, listener) {
      hear = listener;
      const text = typeof request === "string" ? request : JSON.stringify(request);
      const bytes = new TextEncoder().encode(text);
      // Addresses beyond 2 GB come as negative numbers.
      const address = exports.dalsegno_alloc(bytes.length) >>> 0;
      new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
      exports.dalsegno_call(address, bytes.length);
    },
    /** The bytes that the module has taken so far; it never gives memory back to its host. */
    bytes: () => exports.memory.buffer.byteLength,
  };
}

/** The last line of a call that a trap has ended. */
export function trapped(error) {
  const stack = error instanceof RangeError;
  const message = stack
    ? "this needs more stack than the browser gives: take a smaller model, or the program itself"
    : `the module has ended, mostly for want of memory: take a smaller model or less memory (${error.message ?? error})`;
  return { event: "error", error: { message, rendered: message, line: null, column: null } };
}
