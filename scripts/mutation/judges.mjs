import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../process.mjs';
import { root } from '../setup.mjs';
import { sourcesBelow } from './mutants.mjs';

/** Workflows run in a sandbox without coverage and without switches. */
const SANDBOXED = join(root, 'src', 'workflows');
/** They judge workflows, besides files with words of the source: recorded histories of all states, then whole lifecycles. */
const OF_WORKFLOWS = ['replay', 'upload', 'commands', 'credits', 'machinery'];

/** @param {{ path: string }} mutant */
export const isSandboxed = ({ path }) => path.startsWith(SANDBOXED);

/**
 * Reads which test files execute a function: each takes its coverage at its end. The folder may belong to another clone.
 *
 * @param {string} folder of NODE_V8_COVERAGE
 * @returns {(mutant: import('./mutants.mjs').Mutant) => { test: string, weight: number }[]} test files relative to the
 *   repository. A file has more weight when its path shares words with the source, and when it executes little else.
 */
export function readJudges(folder) {
  /** @type {Map<string, Set<string>>} test files by source and function */
  const tests = new Map();
  /** @type {Map<string, number>} number of executed functions of a test file */
  const breadth = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    /** @type {{ result: { url: string, functions: { functionName: string, ranges: { count: number }[] }[] }[] }} */
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const scripts = result.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'));
    const test = scripts
      .map(({ url }) =>
        /^(.*\/)(?<!\/packages\/[^/]+\/)((?:packages\/[^/]+\/)?test\/.*\.(?:test|full)\.ts)\?file=\d+$/.exec(url),
      )
      .find((match) => match !== null);
    if (test === undefined) continue;
    const [, base = '', testPath = ''] = test;
    for (const { url, functions } of scripts) {
      if (!url.startsWith(base)) continue;
      for (const { functionName, ranges } of functions) {
        if (!ranges.some(({ count }) => count > 0)) continue;
        const key = `${relative(fileURLToPath(base), fileURLToPath(new URL(url)))} ${functionName}`;
        tests.set(key, (tests.get(key) ?? new Set()).add(testPath));
        breadth.set(testPath, (breadth.get(testPath) ?? 0) + 1);
      }
    }
  }
  if (tests.size === 0)
    throw new SetupError(`${folder} has no coverage of a test file. Run npm test with NODE_V8_COVERAGE.`);
  const ofWorkflows = sourcesBelow(join(root, 'test', 'workflows')).map((path) => relative(root, path));
  /** @param {string} test */
  const rankOfWorkflow = (test) => OF_WORKFLOWS.indexOf(/([\w-]+)\.(?:test|full)\.ts$/.exec(test)?.[1] ?? '');
  return (mutant) => {
    const source = relative(root, mutant.path);
    const named = mutant.functions.map((name) => tests.get(`${source} ${name}`)).find((each) => each !== undefined);
    // A process runs the code outside of functions once, for the first of its files. So all files that call the module judge it.
    const executing = named ?? [...tests].flatMap(([key, files]) => (key.startsWith(`${source} `) ? [...files] : []));
    const found = isSandboxed(mutant)
      ? ofWorkflows.filter((path) => /\.(test|full)\.ts$/.test(path))
      : [...new Set(executing)];
    const words = new Set(source.split(/\W+/).slice(1, -1));
    /** @param {string} test */
    const weigh = (test) => {
      const shared = test.split(/\W+/).filter((word) => words.has(word)).length;
      const rank = rankOfWorkflow(test);
      if (isSandboxed(mutant)) return rank === 0 ? 100 : shared + (rank > 0 ? 1 - rank / 10 : 0);
      return (1 + 3 * shared) / (500 + (breadth.get(test) ?? 0));
    };
    return found.map((test) => ({ test, weight: weigh(test) })).sort((one, other) => other.weight - one.weight);
  };
}
