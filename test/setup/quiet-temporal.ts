import { DefaultLogger, Runtime } from '@temporalio/worker';

// Many tests are about failed attempts. The SDK's reports of them would bury the others. A process has one runtime.
if (Reflect.get(Runtime, '_instance') === undefined) {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    shutdownSignals: [],
  });
}
