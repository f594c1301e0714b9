import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} TestCount
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} OneTest
 * @typedef {{ status: string, name: string, assertionResults: OneTest[], seconds?: number, processorSeconds?: number }} TestFile
 *   `processorSeconds` are those of the process that runs the file, without its children
 * @typedef {{ testResults: TestFile[] }} TestReport as test-report.mjs writes it
 */

/**
 * Counts tests. A file that failed before its first test (for example while loading) counts as one failed test. An error
 * outside of every test, which only Jest's exit code reports, also counts as one.
 * @param {TestReport} report
 * @param {number} exitCode Jest's
 * @returns {TestCount}
 */
export function countTests(report, exitCode) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    let failedHere = 0;
    for (const { status } of file.assertionResults) {
      if (status === 'passed') count.passed += 1;
      else if (status === 'failed') failedHere += 1;
      else count.skipped += 1;
    }
    count.failed += file.status === 'failed' ? Math.max(failedHere, 1) : failedHere;
  }
  if (exitCode !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

/**
 * Lists tests that failed first and then passed, where a second try is allowed. Each is a fault of the product or of the test.
 * @param {TestReport} report
 * @returns {string[]} a paragraph for each: its file, its name, and how it failed
 */
export function secondTries(report) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map((test) => `Passed at the second try only: ${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`),
  );
}

/**
 * Lists the tests that this machine lacks something for, as test/support/needs.ts names them.
 * @param {TestReport} report
 * @returns {string[]} their number and a line for each; none without such tests
 */
export function leftOut({ testResults }) {
  const lines = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, fullName }) => status === 'pending' && / \[needs .+?\]/.test(fullName))
      .map(({ fullName }) => `  ${basename(name)}: ${fullName}`),
  );
  if (lines.length === 0) return [];
  const head = lines.length === 1 ? ['1 test was', 'it needs'] : [`${lines.length} tests were`, 'they need'];
  return [`${head[0]} skipped, since this machine lacks what ${head[1]}:`, ...lines];
}

/**
 * Lists the files that take longest, the longest first.
 * @param {TestReport} report
 * @param {number} count
 * @returns {string[]} a line for each, such as `12.3 s, 4.5 CPU s, /clone/test/net/fetch.test.ts`
 */
export function slowestFiles({ testResults }, count) {
  return testResults
    .map(({ name, seconds = 0, processorSeconds = 0 }) => ({ name, seconds, processorSeconds }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map((each) => `${each.seconds.toFixed(1)} s, ${each.processorSeconds.toFixed(1)} CPU s, ${each.name}`);
}

/**
 * Adds the counts of several runs.
 * @param {string} path of a file with a line of JSON for each run
 * @returns {TestCount}
 */
export function addCounts(path) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    /** @type {TestCount} */
    const count = JSON.parse(line);
    sum.passed += count.passed;
    sum.failed += count.failed;
    sum.skipped += count.skipped;
  }
  return sum;
}

/**
 * @param {TestCount} count
 * @returns {string} such as `12 passed, 0 failed` or `12 passed, 0 failed, 1 skipped`
 */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

// Prints the sum of the runs that share the file named by TEST_COUNTS.
if (process.argv[1] === import.meta.filename) console.log(closingLine(addCounts(process.env['TEST_COUNTS'] ?? '')));
