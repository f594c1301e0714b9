import express from 'express';
import type { Express } from 'express';
import { Failure } from '../domain/failures.ts';
import { authenticate } from './authenticate.ts';
import { createCommands } from './commands.ts';
import { GATEWAY_LIMITS } from './deps.ts';
import type { GatewayDeps } from './deps.ts';
import { docsRoutes } from './docs/routes.ts';
import { createFileAddresses } from './file-addresses.ts';
import { fileRoutes } from './files.ts';
import { healthRoutes } from './health.ts';
import { problemHandler } from './problem.ts';
import { createChangeFanout } from './progress/change-fanout.ts';
import { createProgressWatch } from './progress/heartbeats.ts';
import { progressRoutes } from './progress/routes.ts';
import { limitFailedAuthentications, limitPerKey } from './rate-limits.ts';
import { requestContext } from './request-context.ts';
import { creditRoutes } from './rest/credits.ts';
import type { RestDeps } from './rest/deps.ts';
import { enhancementRoutes } from './rest/enhancements.ts';
import { uploadRoutes } from './rest/uploads.ts';
import { securityHeaders } from './security-headers.ts';

/** The gateway as an Express application: everything that speaks HTTP, in the order in which a request meets it. */
export function createApp(deps: GatewayDeps): Express {
  const limits = { ...GATEWAY_LIMITS, ...deps.limits };
  const { log, closing } = deps;
  const addresses = createFileAddresses(deps);
  const rest: RestDeps = {
    ...deps,
    addresses,
    commands: createCommands({ ...deps, commandWaitMs: limits.commandWaitMs }),
  };
  const fanout = createChangeFanout({ listen: deps.listen, pollMs: limits.changePollMs, log });
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );

  const app = express();
  app.disable('x-powered-by').set('query parser', 'simple').set('etag', false).set('case sensitive routing', true);
  app.use(requestContext(log), securityHeaders());
  app.use(healthRoutes(deps), docsRoutes(deps), fileRoutes(deps));

  const onRefusal = limitFailedAuthentications(limits);
  app.use('/v1', authenticate({ ...deps, onRefusal }), limitPerKey(limits));
  app.use(
    '/v1/uploads',
    progressRoutes({
      ...deps,
      addresses,
      fanout,
      progress: createProgressWatch({ read: deps.readProgress, intervalMs: limits.progressIntervalMs, log }),
      stream: { heartbeatMs: limits.streamHeartbeatMs, stallMs: limits.streamStallMs },
      streamsPerKey: limits.streamsPerKey,
    }),
    uploadRoutes(rest),
  );
  app.use('/v1/enhancements', enhancementRoutes(rest));
  app.use('/v1/credits', creditRoutes(rest));
  app.use(() => {
    throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
  });
  app.use(problemHandler);
  return app;
}
