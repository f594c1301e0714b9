import express from 'express';
import type { Express } from 'express';
import { Failure } from '../domain/failures.ts';
import { authenticate, isRead } from './authenticate.ts';
import { createCallers, forgettingCallers } from './callers.ts';
import { createCommands } from './commands.ts';
import { GATEWAY_LIMITS } from './deps.ts';
import type { GatewayDeps } from './deps.ts';
import { docsRoutes } from './docs/routes.ts';
import { createFileAddresses } from './file-addresses.ts';
import { fileRoutes } from './files.ts';
import { graphiqlRoutes } from './graphql/graphiql/routes.ts';
import { graphqlRoutes } from './graphql/routes.ts';
import { healthRoutes } from './health.ts';
import { methodGuard } from './method-guard.ts';
import { openApiDocument } from './openapi/document.ts';
import { problemHandler } from './problem.ts';
import { createChangeFanout } from './progress/change-fanout.ts';
import { createProgressWatch } from './progress/heartbeats.ts';
import { progressRoutes } from './progress/routes.ts';
import { limitFailedAuthentications, limitPerKey } from './rate-limits.ts';
import { requestContext } from './request-context.ts';
import { apiKeyRoutes } from './rest/api-keys.ts';
import { creditRoutes } from './rest/credits.ts';
import type { RestDeps } from './rest/deps.ts';
import { enhancementRoutes } from './rest/enhancements.ts';
import { settingsRoutes } from './rest/settings.ts';
import { uploadRoutes } from './rest/uploads.ts';
import { versionRoutes } from './rest/version.ts';
import { webhookDeliveryRoutes } from './rest/webhook-deliveries.ts';
import { webhookRoutes } from './rest/webhooks.ts';
import { securityHeaders } from './security-headers.ts';
import { signedUploadRoutes } from './signed-uploads.ts';

/** The gateway as an Express application: everything that speaks HTTP, in the order in which a request meets it. */
export function createApp(deps: GatewayDeps): Express {
  const limits = { ...GATEWAY_LIMITS, ...deps.limits };
  const { log, closing } = deps;
  const addresses = createFileAddresses(deps);
  const callers = createCallers(deps);
  const accountChanges = forgettingCallers(deps.accountChanges, callers);
  const commands = createCommands({ ...deps, accountChanges, commandWaitMs: limits.commandWaitMs });
  const rest: RestDeps = { ...deps, addresses, commands };
  const fanout = createChangeFanout({ listen: deps.listen, pollMs: limits.changePollMs, log });
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );

  const app = express();
  app.disable('x-powered-by').set('query parser', 'simple').set('etag', false).set('case sensitive routing', true);
  app.use(requestContext(log), securityHeaders(), methodGuard(openApiDocument(deps)));
  app.use(
    healthRoutes(deps),
    docsRoutes(deps),
    graphiqlRoutes(),
    fileRoutes(deps),
    signedUploadRoutes({ ...deps, commands }),
  );

  const authentication = { callers, onRefusal: limitFailedAuthentications(limits) };
  // One count for both interfaces.
  const limit = limitPerKey(limits);
  // In GraphQL a change is known as one only when it is carried out, and looks again then.
  app.use(graphqlRoutes({ ...deps, addresses, commands, callers }, [authenticate(authentication, () => true), limit]));
  app.use('/v1', authenticate(authentication, isRead), limit);
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
  app.use('/v1/webhooks', webhookRoutes(rest));
  app.use('/v1/webhook-deliveries', webhookDeliveryRoutes(rest));
  app.use('/v1/api-keys', apiKeyRoutes(rest));
  app.use('/v1/settings', settingsRoutes(rest));
  app.use('/v1/version', versionRoutes(deps));
  app.use(() => {
    throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
  });
  app.use(problemHandler);
  return app;
}
