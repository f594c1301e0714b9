import type { afterAll } from '@jest/globals';
import { DefaultLogger, Runtime } from '@temporalio/worker';

const current = (): Runtime | undefined => (Runtime as unknown as { _instance?: Runtime })._instance;

// Many tests are about failed attempts. The SDK's reports of them would bury the others. A process has one runtime.
if (current() === undefined) {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    shutdownSignals: [],
  });
}

/** Absent where histories are recorded, without Jest. */
const jest = Reflect.get(globalThis, Symbol.for('burnish.jest-globals')) as { afterAll: typeof afterAll } | undefined;
// The last connection ends the runtime. Without any connection it would keep the process alive.
jest?.afterAll(() => current()?.shutdown());
