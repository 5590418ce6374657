// The service worker of a published site: keeps one whole version of it, so that the playground works
// offline and never mixes the files of two versions. A newer version is fetched beside it and takes
// over when the reader says so, or when no page of the old one is open any more.

// Put in by build/dist.mjs.
declare const VERSION: string;
declare const FILES: string[];

interface Waiting extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Asked extends Waiting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, heard: (event: never) => void): void;
};

const scope = worker.registration.scope;
/** Several sites may share an origin: each has caches of its own. */
const mine = `sealab ${scope} `;
const current = `${mine}${VERSION}`;
const pages = `${mine}pages`;

worker.addEventListener("install", (event: Waiting) => {
  const fetched = caches
    .open(current)
    // Past the browser's own cache, which may hold files of the version before.
    .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))));
  event.waitUntil(fetched);
});

worker.addEventListener("activate", (event: Waiting) => {
  const old = (name: string) => name.startsWith(mine) && name !== current && name !== pages;
  const cleaned = caches
    .keys()
    .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
    .then(() => worker.clients.claim());
  event.waitUntil(cleaned);
});

worker.addEventListener("message", (event: MessageEvent) => {
  if (event.data === "take over") worker.skipWaiting();
});

worker.addEventListener("fetch", (event: Asked) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  event.respondWith(answer(request));
});

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(current);
  const kept = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
  if (kept) return kept;
  // The book: its newest pages, and those already read where there is no network.
  const read = await caches.open(pages);
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await read.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    const old = await read.match(request);
    if (old) return old;
    throw error;
  }
}
