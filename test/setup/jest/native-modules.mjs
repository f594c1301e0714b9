import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { GLOBALS } from './typescript.mjs';

const require = createRequire(import.meta.url);

/**
 * jest-circus, except that Node.js loads the modules of a test file: Jest's own loader compiles each file of each package again for
 * every test file. Each test file has a process of its own (`workerIdleMemoryLimit`), so modules need no registry.
 *
 * @type {import('@jest/types').Config.TestRunner}
 */
export default async function runTestFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  // Jest's own source maps know nothing of these modules; those of Node.js do.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  process.setSourceMapsEnabled(true);
  const native = Object.assign(Object.create(runtime), {
    requireInternalModule: require,
    requireModule: require,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (/** @type {string} */ path) => import(pathToFileURL(path).href),
    setGlobalsForRuntime(/** @type {object} */ globals) {
      runtime.setGlobalsForRuntime(globals);
      Reflect.set(globalThis, GLOBALS, runtime.requireModuleOrMock(testPath, '@jest/globals'));
    },
  });
  return await circus.default(globalConfig, config, environment, native, testPath, sendMessageToJest);
}
