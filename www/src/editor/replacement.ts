// The smallest single replacement between two texts, so that cursor and history survive a reload.

/** `null` when the texts are the same. */
export function replacement(
  old: string,
  text: string,
): { from: number; to: number; insert: string } | null {
  if (old === text) return null;
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === text.charCodeAt(from)) from += 1;
  // Never between the halves of a surrogate pair.
  if (from > 0 && isHigh(old, from - 1)) from -= 1;
  let tail = 0;
  while (tail < shorter - from && same(old, text, tail)) tail += 1;
  if (tail > 0 && isLow(old, old.length - tail)) tail -= 1;
  return { from, to: old.length - tail, insert: text.slice(from, text.length - tail) };
}

function same(old: string, text: string, tail: number): boolean {
  return old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail);
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
