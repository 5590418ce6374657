// The second worker's first script: loads its program and keeps what is asked until it listens.

// Put in by build/bundle.mjs: the files of the program, relative to this one.
declare const BENCH_JS: string;
declare const BENCH_WASM: string;

const early: MessageEvent[] = [];
const keep = (event: MessageEvent) => early.push(event);
self.addEventListener("message", keep);

async function start(): Promise<void> {
  const program = await import(new URL(BENCH_JS, import.meta.url).href);
  await program.default({ module_or_path: new URL(BENCH_WASM, import.meta.url) });
  self.removeEventListener("message", keep);
  for (const event of early) {
    self.dispatchEvent(new MessageEvent("message", { data: event.data }));
  }
}

start().catch((error: unknown) => {
  // A rejected promise stays inside the worker; a thrown error reaches the page's `onerror`.
  setTimeout(() => {
    throw error;
  });
});
