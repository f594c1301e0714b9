import { appendFileSync } from 'node:fs';
import runTestFile from './native-modules.mjs';

/**
 * Runs a test file once for each mutant of `MUTANTS` (ids, separated by commas) in one process, and appends what it saw to the
 * file of `MUTANT_VERDICTS`. It first runs the file twice without a mutant: the second run shows whether the file can be
 * repeated, and which mutants it reaches other than by loading modules. See scripts/test-mutation.mjs.
 *
 * @type {import('@jest/types').Config.TestRunner}
 */
export default async function runForMutants(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const reached = new Set();
  let active = -1;
  Reflect.set(globalThis, 'mutant', (/** @type {number} */ id) => reached.add(id) && id === active);
  stopAtFirstFailure(environment);
  const passes = async (/** @type {number} */ id) => {
    active = id;
    reached.clear();
    const result = await runTestFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest);
    active = -1;
    return { result, passed: result.numFailingTests === 0 && result.testExecError === undefined };
  };
  const say = (/** @type {object} */ line) =>
    appendFileSync(String(process.env['MUTANT_VERDICTS']), `${JSON.stringify(line)}\n`);

  const pending = String(process.env['MUTANTS']).split(',').map(Number);
  const first = await passes(-1);
  if (!first.passed) return first.result;
  const loaded = new Set(reached);
  const start = performance.now();
  const second = await passes(-1);
  if (!second.passed) return second.result;
  const judged = new Set(reached);
  const missed = pending.filter((id) => !judged.has(id));
  say({ kind: 'begins', missed, loaded: missed.filter((id) => loaded.has(id)), ms: performance.now() - start });
  let unharmed = true;
  for (const id of pending.filter((each) => judged.has(each))) {
    say({ kind: 'begins', id });
    const { passed } = await passes(id);
    if (passed) {
      unharmed = false;
      say({ kind: 'survived', id });
      continue;
    }
    const { passed: recovered, result } = await passes(-1);
    // Where an earlier mutant may have left something behind, a new process judges this one first.
    if (recovered || unharmed) say({ kind: 'killed', id });
    if (!recovered) return result;
    unharmed = true;
  }
  return second.result;
}

/** @param {import('@jest/environment').JestEnvironment} environment */
function stopAtFirstFailure(environment) {
  const handle = environment.handleTestEvent?.bind(environment);
  let failed = false;
  environment.handleTestEvent = async (event, state) => {
    await handle?.(event, state);
    if (event.name === 'run_start') failed = false;
    if (event.name === 'test_done' && event.test.errors.length > 0) failed = true;
    if (event.name === 'test_start' && failed) event.test.mode = 'skip';
  };
}
