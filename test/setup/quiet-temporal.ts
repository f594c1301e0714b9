import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Failed attempts are what many tests are about: the SDK's accounts of them would bury those that are not. */
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  shutdownSignals: [],
});
