// Positions of an older text in the current one: answers that took time are still put in the right
// place while the reader types on.

import type { ChangeDesc, Text } from "@codemirror/state";
import type { Version } from "./types";

/** Older answers are dropped: the one for the newest text is on its way. */
const KEPT = 256;

interface Revision {
  /** The text before the change. */
  before: Text;
  changes: ChangeDesc;
}

export class Revisions {
  #current: Version = 0;
  #kept: Revision[] = [];

  get current(): Version {
    return this.#current;
  }

  /** Notes one change of the text. */
  record(before: Text, changes: ChangeDesc): void {
    this.#current += 1;
    this.#kept.push({ before, changes });
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /**
   * What happened since `version`: the text then, and the changes up to now (`null` for none).
   * `undefined` when that is too long ago, or never was.
   */
  since(version: Version, now: Text): { doc: Text; changes: ChangeDesc | null } | undefined {
    const age = this.#current - version;
    if (age === 0) return { doc: now, changes: null };
    const revisions = this.#kept.slice(-age);
    const first = revisions[0];
    if (age < 0 || !first || revisions.length < age) return undefined;
    const rest = revisions.slice(1);
    const changes = rest.reduce((sum, next) => sum.composeDesc(next.changes), first.changes);
    return { doc: first.before, changes };
  }
}
