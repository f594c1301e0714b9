import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeCoverage } from 'node:v8';
import { GLOBALS } from './typescript.mjs';

const require = createRequire(import.meta.url);
const circusFolder = dirname(require.resolve('jest-circus/package.json')) + sep;
let files = 0;
// Programs that a test starts load the sources by other transforms. Their coverage has other positions, so it is not collected.
Reflect.deleteProperty(process.env, 'NODE_V8_COVERAGE');

/**
 * jest-circus, except that Node.js loads the modules of a test file: Jest's own loader compiles each file of each package again for
 * every test file. Test files share a process and the product's modules in it; typescript-hooks.mjs keeps the tests' modules apart.
 *
 * @type {import('@jest/types').Config.TestRunner}
 */
export default async function runTestFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  // Jest's own source maps know nothing of these modules; those of Node.js do.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  process.setSourceMapsEnabled(true);
  const query = `?file=${(files += 1)}`;
  const { default: runner } = circusWithoutState();
  const before = process.cpuUsage();
  const native = Object.assign(Object.create(runtime), {
    requireInternalModule: require,
    requireModule: require,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (/** @type {string} */ path) => import(pathToFileURL(path).href + query),
    setGlobalsForRuntime(/** @type {object} */ globals) {
      runtime.setGlobalsForRuntime(globals);
      Reflect.set(globalThis, GLOBALS, runtime.requireModuleOrMock(testPath, '@jest/globals'));
    },
  });
  const result = await runner(globalConfig, config, environment, native, testPath, sendMessageToJest);
  const { user, system } = process.cpuUsage(before);
  // Jest may kill this process, which then writes nothing to the folder of NODE_V8_COVERAGE.
  takeCoverage();
  return Object.assign(result, { processorSeconds: (user + system) / 1_000_000 });
}

/** jest-circus keeps the tests, hooks and handlers of a file in its modules and on globalThis. */
function circusWithoutState() {
  for (const path of Object.keys(require.cache)) if (path.startsWith(circusFolder)) delete require.cache[path];
  Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
  return require('jest-circus/runner');
}
