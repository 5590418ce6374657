// The worker's first script: loads the simulator when it is first needed, and keeps what is asked of
// it until it listens.

// Put in by build/bundle.mjs: the files of the program, relative to this one.
declare const WORKER_JS: string;
declare const WORKER_WASM: string;

const early: MessageEvent[] = [];

function keep(event: MessageEvent): void {
  if (early.length === 0) {
    start().catch((error: unknown) => {
      // A rejected promise stays inside the worker; a thrown error reaches the page's `onerror`.
      setTimeout(() => {
        throw error;
      });
    });
  }
  early.push(event);
}

self.addEventListener("message", keep);

async function start(): Promise<void> {
  const program = await import(new URL(WORKER_JS, import.meta.url).href);
  await program.default({ module_or_path: new URL(WORKER_WASM, import.meta.url) });
  self.removeEventListener("message", keep);
  for (const event of early) {
    // A mere word asks for the program and nothing else.
    if (typeof event.data === "string") continue;
    self.dispatchEvent(new MessageEvent("message", { data: event.data, ports: [...event.ports] }));
  }
}
