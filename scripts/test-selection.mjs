/** The system tests: processes of the product, Temporal's real servers, the contract over HTTP, pages in Chromium, and kills. */
const SYSTEM = [
  'packages/dashboard/test',
  'packages/engine/test/readme',
  'test/activities/hosted',
  'test/api/docs/interactive-pages',
  'test/contract',
  'test/drills',
  'test/e2e',
  'test/hosted/two-instances',
  'test/temporal',
];
/** Tests of what is written: documents, descriptions and sentences in sources, and imports between modules. */
const DOCUMENTS = [
  'test/api/docs/(api-documents|descriptions|error-codes|lint|operation-names)',
  'test/architecture',
  'test/deployment/(links|notices|plain-english|readme|security-page|settings)',
  'test/domain/remedies',
];
/** @param {string[]} places folders, or starts of files */
const pattern = (places) => `/(${places.join('|')})[./]`;

/**
 * Returns the arguments of Jest. Without arguments, it runs everything but the tests of documents and the system tests; `--documents`
 * and `--system` select those.
 * @param {string[]} given paths and options of Jest, after such a word or not
 */
export function selection(given) {
  const [first, ...rest] = given;
  if (first === '--system') return [pattern(SYSTEM), ...rest];
  if (first === '--documents') return [pattern(DOCUMENTS), ...rest];
  return given.length > 0 ? given : [`--testPathIgnorePatterns=${pattern([...SYSTEM, ...DOCUMENTS])}`];
}
