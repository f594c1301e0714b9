/** The system tests: processes of the product, Temporal's real servers, the contract over HTTP, pages in Chromium, and kills. */
const SYSTEM = [
  'activities/hosted/service',
  'api/docs/interactive-pages',
  'contract',
  'drills',
  'e2e',
  'hosted/two-instances',
  'temporal',
];
const pattern = `/(packages/dashboard/test/|packages/engine/test/readme|test/(${SYSTEM.join('|')})[./])`;

/**
 * Returns the arguments of Jest. Without arguments, it runs everything but the system tests; `--system` selects those.
 * @param {string[]} given paths and options of Jest, after `--system` or not
 */
export function selection(given) {
  const [first, ...rest] = given;
  if (first === '--system') return [pattern, ...rest];
  return given.length > 0 ? given : [`--testPathIgnorePatterns=${pattern}`];
}
