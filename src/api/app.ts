import express from 'express';
import type { Express } from 'express';
import { Failure } from '../domain/failures.ts';
import { authenticate, isRead } from './http/authenticate.ts';
import { createCallers, forgettingCallers } from './http/callers.ts';
import { createCommands } from './commands/commands.ts';
import { forCreates, sayCreateKey } from './http/create-key.ts';
import { dashboardPages } from './dashboard/dashboard-pages.ts';
import { describedAddresses } from './rest/described-addresses.ts';
import { GATEWAY_LIMITS } from './deps.ts';
import type { GatewayDeps } from './deps.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { createFileAddresses } from './files/file-addresses.ts';
import { fileRoutes } from './files/download-file.ts';
import { graphiqlRoutes } from './graphql/graphiql/graphiql-routes.ts';
import { graphqlRoutes } from './graphql/graphql-routes.ts';
import { healthRoutes } from './health/health-operations.ts';
import { hostedWebhookRoutes } from './hosted-webhooks/hosted-webhook-operations.ts';
import { methodGuard } from './rest/method-guard.ts';
import { measureRequests } from './metrics/http-metrics.ts';
import { routeLabel } from './metrics/route-label.ts';
import { metricsRoutes } from './metrics/metrics-operations.ts';
import { openApiDocument } from './openapi/document.ts';
import { previewRoutes } from './previews/preview-operations.ts';
import { problemHandler } from './http/problem.ts';
import { createChangeFanout } from './events/change-fanout.ts';
import { createProgressWatch } from './events/progress-watch.ts';
import { progressRoutes } from './events/event-operations.ts';
import { limitFailedAuthentications, limitPerKey, limitSignIns } from './http/rate-limits.ts';
import { requestContext } from './http/request-context.ts';
import { apiKeyRoutes } from './api-keys/api-key-operations.ts';
import { auditRoutes } from './audit/audit-operations.ts';
import { creditRoutes } from './credits/credit-operations.ts';
import type { RestDeps } from './rest/rest-deps.ts';
import { createPreferredWaits } from './rest/preferred-wait.ts';
import { enhancementRoutes } from './enhancements/enhancement-operations.ts';
import { settingsRoutes } from './settings/settings-operations.ts';
import { timelineRoutes } from './uploads/timeline-operations.ts';
import { uploadRoutes } from './uploads/upload-operations.ts';
import { versionRoutes } from './health/version-operations.ts';
import { webhookDeliveryRoutes } from './webhooks/delivery-operations.ts';
import { webhookRoutes } from './webhooks/webhook-operations.ts';
import { demandScope } from './rest/demand-scope.ts';
import { securityHeaders } from './http/security-headers.ts';
import { sessionCookie } from './sessions/session-cookie.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { signedUploadRoutes } from './signed-uploads/put-signed-file.ts';
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
  const fanout = createChangeFanout({ listen: deps.listen, pollMs: limits.changePollMs, log });
  const preferredWait = createPreferredWaits({ fanout, waitsPerKey: limits.waitsPerKey, closing });
  const rest: RestDeps = { ...deps, addresses, commands, preferredWait };
  const previews = previewRoutes(deps);
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );

  const app = express();
  app.set('trust proxy', deps.trustedProxies ?? 0);
  app.disable('x-powered-by').set('query parser', 'simple').set('etag', false).set('case sensitive routing', true);
  const addressOf = describedAddresses(openApiDocument(deps));
  app.use(requestContext(log), measureRequests(deps.metrics.http, routeLabel(addressOf)), securityHeaders());
  // Before everything that costs time: a refusal of one upload among thousands may not hold up the next.
  app.use(forCreates(sayCreateKey, admission.door));
  // The dashboard's pages come before the guard: an address of one may be that of an upload's file too, which takes a PUT only.
  const dashboard = dashboardPages(deps, (path) => addressOf(path) !== undefined);
  app.use(dashboard.pages, methodGuard(addressOf));
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
    graphqlRoutes({ ...deps, addresses, commands, callers, admission, graphqlMs: limits.graphqlMs }, [
      authenticate(authentication, () => true),
      limit,
    ]),
  );
  const sessions = { callers: sessionCallers, cookie, publicUrl: deps.publicUrl };
  app.use('/v1', authenticate({ ...authentication, sessions }, isRead), limit, demandScope(addressOf));
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
  app.use('/v1/audit', auditRoutes(rest));
  app.use('/v1/version', versionRoutes(deps));
  app.use(dashboard.unknownPages, () => {
    throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
  });
  app.use(problemHandler);
  return app;
}
