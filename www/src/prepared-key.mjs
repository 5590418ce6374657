// How prepared questions are told apart; a module of its own because the build reads it too.

/**
 * One string for each question: fields in alphabetical order, absent ones left out, and the run's
 * own id in no one's way.
 * @param {string} kind
 * @param {unknown} body
 * @param {number | undefined} run
 */
export function key(kind, body, run) {
  const named =
    isObject(body) && run !== undefined && body.run === run ? { ...body, run: 0 } : body;
  return `${kind} ${JSON.stringify(named ?? null, sorted)}`;
}

/** @param {string} _ @param {unknown} value @returns {unknown} */
function sorted(_, value) {
  // As a whole body, null must stay: it is what JSON has for nothing.
  if (value === null) return _ === "" ? null : undefined;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
