/** Folders of the system tests: processes of the product, its pages in Chromium, its contract over HTTP, and kills. */
const SYSTEM = ['contract', 'dashboard', 'drills', 'e2e'];

/**
 * Returns the arguments of Jest. Without arguments, it runs everything but the system tests; `--system` selects those.
 * @param {string[]} given paths and options of Jest, after `--system` or not
 */
export function selection(given) {
  const [first, ...rest] = given;
  if (first === '--system') return [...SYSTEM.map((folder) => `test/${folder}/`), ...rest];
  return given.length > 0 ? given : [`--testPathIgnorePatterns=/test/(${SYSTEM.join('|')})/`];
}
