// The back end of `dalsegno serve`: a request is posted, and the answer comes as lines of JSON. Hanging up cancels.

// Calls `hear` with each line of a body.
async function readLines(body, hear) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim()) hear(JSON.parse(line));
  }
  if (rest.trim()) hear(JSON.parse(rest));
}

export function serveBackend() {
  return {
    name: 'dalsegno serve',
    async call(request, onEvent, signal) {
      const response = await fetch('api/call', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
        signal,
      });
      if (!response.ok || !response.body) {
        const text = (await response.text()).trim();
        throw new CallError({ message: text || `the server answers ${response.status}`, rendered: null });
      }
      let last = null;
      await readLines(response.body, (line) => {
        if (line.event === 'done' || line.event === 'error') last = line;
        else onEvent?.(line);
      });
      return ended(last);
    },
  };
}

// What a call says is wrong: a message, the same with a caret, and where.
export class CallError extends Error {
  constructor(error) {
    super(error.message);
    this.rendered = error.rendered ?? error.message;
    this.line = error.line ?? null;
    this.column = error.column ?? null;
  }
}

// The result of a call, by its last line.
export function ended(last) {
  if (!last) throw new CallError({ message: 'the connection ended before the answer was there' });
  if (last.event === 'error') throw new CallError(last.error);
  return last.result;
}
