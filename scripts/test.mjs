#!/usr/bin/env node
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryFolder } from './memory-folder.mjs';
import { run, runAsMain } from './process.mjs';
import { root, setupPackages } from './setup.mjs';
import { addCounts, closingLine, countTests, leftOut, secondTries, slowestFiles } from './test-count.mjs';
import { selection } from './test-selection.mjs';

/**
 * Megabytes of each half of V8's space for young objects, which Jest's processes inherit. With Node.js's 16, collecting garbage takes a
 * sixth of their processor time more.
 */
const YOUNG_SPACE = '--max-semi-space-size=32';

/**
 * `npm test`, `npm run test:full`, `npm run test:system` and the last part of `npm run lint`, or `npm test -- <path or Jest option> ...` for the named tests. The last line of the
 * output counts the tests, together with those of earlier runs that share the file named by TEST_COUNTS. TEST_SLOWEST=20 also
 * lists the twenty slowest files.
 */
async function main() {
  await setupPackages();
  const folder = mkdtempSync(join(tmpdir(), 'burnish-test-report-'));
  // A person may choose another place.
  const memory = process.env['TMPDIR'] === undefined ? memoryFolder() : undefined;
  try {
    const reportFile = join(folder, 'report.json');
    const jest = fileURLToPath(new URL('bin/jest.js', import.meta.resolve('jest/package.json')));
    const { code } = await run(process.execPath, [YOUNG_SPACE, jest, ...selection(process.argv.slice(2))], {
      cwd: root,
      env: { ...process.env, TEST_REPORT: reportFile, ...(memory === undefined ? {} : { TMPDIR: memory }) },
    });
    const report = readReport(reportFile);
    for (const paragraph of secondTries(report)) console.log(`\n${paragraph}`);
    for (const line of slowestFiles(report, Number(process.env['TEST_SLOWEST'] ?? 0))) console.log(line);
    for (const line of leftOut(report)) console.log(line);
    const count = countTests(report, code);
    console.log(closingLine(withEarlierRuns(count)));
    process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0;
  } finally {
    for (const path of [folder, memory ?? folder]) rmSync(path, { recursive: true, force: true });
  }
}

/** @param {import('./test-count.mjs').TestCount} count */
function withEarlierRuns(count) {
  const path = process.env['TEST_COUNTS'];
  if (path === undefined) return count;
  appendFileSync(path, `${JSON.stringify(count)}\n`);
  return addCounts(path);
}

/** @param {string} path */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Jest exited before it wrote a report. Its exit code and output show the reason.
    return { testResults: [] };
  }
}

await runAsMain(main);
