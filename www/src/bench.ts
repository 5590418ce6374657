// Benchmarks and statistics: two views of their own, loaded when the first is opened, over a second
// worker.

import { mountBenchmarks } from "./bench/benchmarks";
import { mountStatistics } from "./bench/statistics";

/** Shows a view in `root`; gives what takes it away. `open` puts a text into the editor. */
export function mount(
  root: HTMLElement,
  view: "bench" | "stats",
  open: (text: string) => void,
): () => void {
  return view === "stats" ? mountStatistics(root) : mountBenchmarks(root, open);
}
