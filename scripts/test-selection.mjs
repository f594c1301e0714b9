/** Processes of the product, Temporal's real servers, the contract over HTTP, pages in Chromium, and kills. */
const SYSTEM = [
  'packages/dashboard/test',
  'packages/engine/test/readme',
  'packages/guide/test/pages',
  'test/activities/hosted',
  'test/api/docs/interactive-pages',
  'test/contract',
  'test/docs/commands',
  'test/drills',
  'test/e2e',
  'test/hosted/two-instances',
  'test/temporal',
];
/** Documents, descriptions and sentences in sources, and imports between modules. */
const DOCUMENTS = [
  'test/api/docs/(api-documents|descriptions|error-codes|generators|lint|operation-names)',
  'test/architecture',
  'test/deployment/(links|notices|plain-english|readme|security-page|settings)',
  'test/docs/code-blocks',
  'test/domain/remedies',
];
/** @param {string[]} places folders, or starts of files */
const pattern = (places) => `/(${places.join('|')})[./]`;

/**
 * What each suite beside `npm test` selects, as a regular expression of paths. `npm test` runs every other `*.test.ts`, and
 * test/setup/suites.test.ts makes sure that no two suites run the same file.
 * @type {Readonly<Record<'full' | 'system' | 'documents', string>>}
 */
export const SUITES = { full: '\\.full\\.ts$', system: pattern(SYSTEM), documents: pattern(DOCUMENTS) };

/**
 * Returns the arguments of Jest: those given, after the paths of the suite that a first word such as `--full` names. Without
 * arguments, `npm test` runs.
 * @param {string[]} given paths and options of Jest, after such a word or not
 */
export function selection(given) {
  const [first = '', ...rest] = given;
  const suite = Object.entries(SUITES).find(([name]) => first === `--${name}`)?.[1];
  if (suite !== undefined) return [suite, ...rest];
  return given.length > 0 ? given : [`--testPathIgnorePatterns=${Object.values(SUITES).join('|')}`];
}
