import express from 'express';
import type { Express } from 'express';
import { Failure } from '../domain/failures.ts';
import { authenticate, isRead } from './authenticate.ts';
import { createCallers, forgettingCallers } from './callers.ts';
import { createCommands } from './commands.ts';
import { forCreates, sayCreateKey } from './create-key.ts';
import { dashboardPages } from './dashboard/routes.ts';
import { describedAddresses } from './described-addresses.ts';
import { GATEWAY_LIMITS } from './deps.ts';
import type { GatewayDeps } from './deps.ts';
import { docsRoutes } from './docs/routes.ts';
import { createFileAddresses } from './file-addresses.ts';
import { fileRoutes } from './files.ts';
import { graphiqlRoutes } from './graphql/graphiql/routes.ts';
import { graphqlRoutes } from './graphql/routes.ts';
import { healthRoutes } from './health.ts';
import { hostedWebhookRoutes } from './hosted-webhooks/routes.ts';
import { methodGuard } from './method-guard.ts';
import { measureRequests } from './metrics/http-metrics.ts';
import { routeLabel } from './metrics/route-label.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { openApiDocument } from './openapi/document.ts';
import { previewRoutes } from './previews/routes.ts';
import { problemHandler } from './problem.ts';
import { createChangeFanout } from './progress/change-fanout.ts';
import { createProgressWatch } from './progress/heartbeats.ts';
import { progressRoutes } from './progress/routes.ts';
import { limitFailedAuthentications, limitPerKey, limitSignIns } from './rate-limits.ts';
import { requestContext } from './request-context.ts';
import { apiKeyRoutes } from './rest/api-keys.ts';
import { creditRoutes } from './rest/credits.ts';
import type { RestDeps } from './rest/deps.ts';
import { enhancementRoutes } from './rest/enhancements.ts';
import { settingsRoutes } from './rest/settings.ts';
import { timelineRoutes } from './rest/timeline.ts';
import { uploadRoutes } from './rest/uploads.ts';
import { versionRoutes } from './rest/version.ts';
import { webhookDeliveryRoutes } from './rest/webhook-deliveries.ts';
import { webhookRoutes } from './rest/webhooks.ts';
import { securityHeaders } from './security-headers.ts';
import { sessionCookie } from './sessions/cookie.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { signedUploadRoutes } from './signed-uploads.ts';
import { createAdmission } from './trouble/admission.ts';

/** The gateway as an Express application: everything that speaks HTTP, in the order in which a request meets it. */
export function createApp(deps: GatewayDeps): Express {
  const limits = { ...GATEWAY_LIMITS, ...deps.limits };
  const { log, closing } = deps;
  const addresses = createFileAddresses(deps);
  const callers = createCallers(deps);
  const sessionCallers = createCallers({ apiKeys: deps.sessions });
  const accountChanges = forgettingCallers(deps.accountChanges, callers, sessionCallers);
  const admission = createAdmission(limits);
  const commands = createCommands({ ...deps, accountChanges, commandWaitMs: limits.commandWaitMs });
  const rest: RestDeps = { ...deps, addresses, commands };
  const previews = previewRoutes(deps);
  const fanout = createChangeFanout({ listen: deps.listen, pollMs: limits.changePollMs, log });
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );

  const app = express();
  app.set('trust proxy', deps.trustedProxies ?? 0);
  app.disable('x-powered-by').set('query parser', 'simple').set('etag', false).set('case sensitive routing', true);
  const addressOf = describedAddresses(openApiDocument(deps));
  app.use(requestContext(log), measureRequests(deps.metrics.http, routeLabel(addressOf)));
  // The dashboard's pages come before the guard: an address of one may be that of an upload's file too, which takes a PUT only.
  const dashboard = dashboardPages(deps, (path) => addressOf(path) !== undefined);
  app.use(securityHeaders(), dashboard.pages, methodGuard(addressOf));
  app.use(
    healthRoutes(deps),
    metricsRoutes(deps.metrics),
    docsRoutes(deps),
    graphiqlRoutes(),
    fileRoutes(deps),
    signedUploadRoutes({ ...deps, commands, admission }),
    hostedWebhookRoutes(deps),
  );
  const cookie = sessionCookie(deps.publicUrl);
  app.use(sessionRoutes({ ...deps, callers, sessionCallers, cookie, limit: limitSignIns(limits) }));

  const authentication = { callers, onRefusal: limitFailedAuthentications(limits) };
  // One count for both interfaces.
  const limit = limitPerKey(limits);
  // In GraphQL a change is known as one only when it is carried out, and looks again then.
  app.use(
    graphqlRoutes({ ...deps, addresses, commands, callers, admission }, [
      authenticate(authentication, () => true),
      limit,
    ]),
  );
  const sessions = { callers: sessionCallers, cookie, publicUrl: deps.publicUrl };
  app.use(forCreates(sayCreateKey), forCreates(admission.door));
  app.use('/v1', authenticate({ ...authentication, sessions }, isRead), limit);
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
    timelineRoutes(deps),
    previews.uploads,
  );
  app.use('/v1/enhancements', enhancementRoutes(rest), previews.enhancements);
  app.use('/v1/credits', creditRoutes(rest));
  app.use('/v1/webhooks', webhookRoutes(rest));
  app.use('/v1/webhook-deliveries', webhookDeliveryRoutes(rest));
  app.use('/v1/api-keys', apiKeyRoutes(rest));
  app.use('/v1/settings', settingsRoutes(rest));
  app.use('/v1/version', versionRoutes(deps));
  app.use(dashboard.unknownPages, () => {
    throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
  });
  app.use(problemHandler);
  return app;
}
