import { writeFileSync } from 'node:fs';

/**
 * Writes the results of a run for `test.mjs`. A retried test keeps the messages of its first failure, even if it passed.
 * @implements {import('@jest/reporters').Reporter}
 */
export default class TestReport {
  /**
   * @param {unknown} _globalConfig
   * @param {{ path: string }} options
   */
  constructor(_globalConfig, { path }) {
    this.path = path;
  }

  /**
   * @param {unknown} _contexts
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  onRunComplete(_contexts, { testResults }) {
    /** @type {import('./test-count.mjs').TestReport} */
    const report = {
      testResults: testResults.map(({ testFilePath, testExecError, numFailingTests, testResults: tests, ...rest }) => ({
        name: testFilePath,
        seconds: rest.perfStats.runtime / 1000,
        processorSeconds: Number(Reflect.get(rest, 'processorSeconds') ?? 0),
        status: (testExecError ?? null) !== null || numFailingTests > 0 ? 'failed' : 'passed',
        assertionResults: tests.map(({ status, fullName, failureMessages, retryReasons = [] }) => ({
          status,
          fullName,
          failureMessages: [...retryReasons, ...failureMessages],
        })),
      })),
    };
    writeFileSync(this.path, JSON.stringify(report));
  }
}
