#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isSandboxed, readJudges } from './mutation/judges.mjs';
import { describeMutant, pickMutants, withMutant, withSwitches } from './mutation/mutants.mjs';
import { runAsMain } from './process.mjs';
import { root, setupPackages } from './setup.mjs';

/**
 * `npm run test:mutation -- [--mutants <count>] [--judges <count>] [--coverage <folder>] <file or folder of src> ...`: changes
 * one expression of a source at a time, and runs test files that execute its function. A mutant that they all accept survives.
 *
 * The coverage names these files: `NODE_V8_COVERAGE=.cache/coverage npm test` writes it. One process judges all mutants that a
 * test file reaches: switches in the sources activate one of them at a time. Mutants of workflows and of code that runs once, as
 * its module loads, each need a process of their own. The sources change while it runs: use a clone of its own.
 *
 * @typedef {import('./mutation/mutants.mjs').Mutant} Mutant
 * @typedef {'killed' | 'survived' | 'timed out' | 'unjudged'} Verdict
 * @typedef {{ mutant: Mutant, description: string, judges: { test: string, weight: number }[], verdict: Verdict, judged: number, loads: string[] }} Case
 */
/** Test files that judge a mutant alone, each in a process of its own */
const LONE_JUDGES = 2;
/** Milliseconds of a start with its first runs, after which a mutant counts as endless */
const START_LIMIT_MS = 600_000;
/** A later run may take this many times the time of one without a mutant */
const SLOWNESS = 10;

async function main() {
  await setupPackages();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mutants: { type: 'string', default: '50' },
      // Test files that accept a mutant before it survives. More of them take longer, and kill more.
      judges: { type: 'string', default: '5' },
      coverage: { type: 'string', default: join(root, '.cache', 'coverage') },
    },
  });
  const { possible, mutants } = pickMutants(positionals, Number(values.mutants));
  const most = Number(values.judges);
  const judgesOf = readJudges(values.coverage);
  /** @type {Case[]} */
  const cases = mutants.map((mutant) => ({
    mutant,
    description: describeMutant(mutant),
    judges: judgesOf(mutant),
    verdict: 'unjudged',
    judged: 0,
    loads: [],
  }));
  const switched = cases.filter(({ mutant }) => !isSandboxed(mutant));
  await withSources(switched, () => judgeTogether(switched, most));
  const counts = { killed: 0, survived: 0, 'timed out': 0, unjudged: 0 };
  for (const each of cases) {
    if (isOpen(each)) {
      await judgeAlone(each, most);
      tell(each);
    }
    counts[each.verdict] += 1;
  }
  console.log(`${possible} possible mutants; ${JSON.stringify(counts)}`);
}

/** @param {Case} each */
const tell = ({ verdict, description, judged }) =>
  console.log(`${verdict} ${description} (accepted by ${judged} test files)`);

/** @param {Case} each */
const isOpen = ({ verdict }) => verdict === 'unjudged' || verdict === 'survived';

/** Puts switches for all of these mutants into the sources meanwhile. @param {Case[]} cases @param {() => Promise<void>} action */
async function withSources(cases, action) {
  const mutants = cases.map(({ mutant }) => mutant);
  const paths = new Set(mutants.map(({ path }) => path));
  const originals = [...paths].map((path) => ({ path, source: readFileSync(path, 'utf8') }));
  try {
    for (const { path, source } of originals) {
      const own = mutants.filter((mutant) => mutant.path === path);
      writeFileSync(path, withSwitches(source, own));
    }
    await action();
  } finally {
    for (const { path, source } of originals) writeFileSync(path, source);
  }
}

/** The test file that promises most for the open mutants comes next. @param {Case[]} cases @param {number} most */
async function judgeTogether(cases, most) {
  const done = new Set();
  for (;;) {
    /** @type {Map<string, number>} */
    const promises = new Map();
    const open = cases.filter((each) => isOpen(each) && each.judged < most);
    for (const { judges } of open)
      for (const { test, weight } of judges.slice(0, 3 * most))
        if (!done.has(test)) promises.set(test, (promises.get(test) ?? 0) + weight);
    const [next] = [...promises].sort(([, one], [, other]) => other - one);
    if (next === undefined) return;
    const [test] = next;
    done.add(test);
    await judgeBy(
      test,
      open.filter(({ judges }) => judges.some((judge) => judge.test === test)),
    );
  }
}

/** Starts the test file again where a mutant ended or spoilt its process. @param {string} test @param {Case[]} cases */
async function judgeBy(test, cases) {
  const pending = new Map(cases.map((each) => [each.mutant.id, each]));
  for (let before = -1; before !== pending.size && pending.size > 0;) {
    before = pending.size;
    const lines = await runJest([test], [...pending.keys()]);
    // A file that cannot run twice in a process judges each mutant alone.
    if (lines.length === 0) for (const { loads } of pending.values()) loads.push(test);
    for (const { kind, id, loaded, missed } of lines) {
      for (const each of loaded ?? []) pending.get(each)?.loads.push(test);
      for (const each of missed ?? []) pending.delete(each);
      const judged = pending.get(id ?? -1);
      if (judged === undefined || kind === 'begins') continue;
      judged.verdict = /** @type {Verdict} */ (kind);
      if (kind === 'survived') judged.judged += 1;
      else tell(judged);
      pending.delete(id ?? -1);
    }
  }
  console.error(
    `${test}: ${cases.filter(({ verdict }) => verdict === 'killed').length} of ${cases.length} mutants killed`,
  );
}

/** @param {Case} each @param {number} most */
async function judgeAlone(each, most) {
  const { mutant, judges, loads } = each;
  const tests = isSandboxed(mutant) ? judges.map(({ test }) => test).slice(0, most) : loads.slice(0, LONE_JUDGES);
  if (tests.length === 0) return;
  const source = readFileSync(mutant.path, 'utf8');
  writeFileSync(mutant.path, withMutant(source, mutant));
  try {
    for (const test of tests) {
      const [{ kind } = { kind: 'killed' }] = await runJest([test], []);
      each.verdict = /** @type {Verdict} */ (kind);
      if (each.verdict !== 'survived') return;
      each.judged += 1;
    }
  } finally {
    writeFileSync(mutant.path, source);
    console.error(`${each.verdict} ${mutant.path}:${mutant.line}`);
  }
}

/**
 * Runs Jest, and stops it where no verdict came for too long.
 *
 * @param {string[]} tests
 * @param {number[]} ids of mutants behind switches, or none for a run of the sources as they are
 * @returns {Promise<{ kind: string, id?: number, loaded?: number[], missed?: number[], ms?: number }[]>} what the runner saw
 */
async function runJest(tests, ids) {
  const folder = mkdtempSync(join(tmpdir(), 'burnish-mutants-'));
  const verdicts = join(folder, 'verdicts');
  writeFileSync(verdicts, '');
  const runner = ids.length === 0 ? [] : ['--testRunner', join(root, 'test/setup/jest/mutating-runner.mjs')];
  const args = ['--bail', '--forceExit', '--runInBand', ...runner, '--runTestsByPath', ...tests];
  const child = spawn(process.execPath, [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, MUTANTS: ids.join(), MUTANT_VERDICTS: verdicts },
  });
  const read = () =>
    readFileSync(verdicts, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  let [seen, since, stalled] = [0, Date.now(), false];
  const watch = setInterval(() => {
    const [first, ...others] = read();
    if (others.length > seen) [seen, since] = [others.length, Date.now()];
    if (Date.now() - since < (first === undefined ? START_LIMIT_MS : 60_000 + SLOWNESS * first.ms)) return;
    stalled = true;
    child.kill('SIGKILL');
  }, 1000);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  const lines = read();
  rmSync(folder, { recursive: true });
  if (ids.length > 0) return stalled ? [...lines, { kind: 'timed out', id: lines.at(-1)?.id }] : lines;
  if (stalled) return [{ kind: 'timed out' }];
  return code === 0 ? [{ kind: 'survived' }] : [];
}

await runAsMain(main);
