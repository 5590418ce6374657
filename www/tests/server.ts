// A static host as plain as they come: files, types, nothing else.

import { readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, resolve } from "node:path";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".seal": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

export interface StaticHost {
  /** Without a slash at the end. */
  origin: string;
  close(): Promise<void>;
}

/**
 * Serves `folder` on a free port of this machine, also under `/any/folder/`, and `pages` (HTML by
 * path) before it, all with `headers`.
 */
export async function serve(
  folder: string,
  pages: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<StaticHost> {
  const server = createServer(async (request, response) => {
    const asked = decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname);
    const path = asked.replace(/^\/any\/folder\//, "/");
    const page = pages[path];
    const file = page === undefined ? await find(resolve(folder), path) : null;
    if (page === undefined && !file) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    response.writeHead(200, {
      ...headers,
      "content-type": TYPES[file ? extname(file) : ".html"] ?? "application/octet-stream",
      "cache-control": "no-cache",
    });
    response.end(file ? await readFile(file) : page);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => close(server) };
}

async function find(folder: string, path: string): Promise<string | null> {
  const file = join(folder, normalize(path.endsWith("/") ? `${path}index.html` : path));
  if (!file.startsWith(folder)) return null;
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? file : null;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
