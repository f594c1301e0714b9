import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { dashboardPages } from './dashboard/dashboard-pages.ts';
import type { GatewayDeps } from './deps.ts';
import { createGateway } from './gateway.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { guideRoutes } from './docs/guide-routes.ts';
import { graphiqlRoutes } from './graphql/graphiql/graphiql-routes.ts';
import { graphqlRoutes } from './graphql/graphql-routes.ts';
import { authenticate } from './http/authenticate.ts';
import {
  returnUploadIdempotencyKey,
  requestContext,
  refuseKeysInFlight,
  isRead,
  tellReplays,
  traceRequests,
} from './http/request-context.ts';
import { nothingThere, problemHandler } from './http/problem.ts';
import { oneHost } from './http/one-host.ts';
import { limitSlowBodies, limitIdleRequests } from './http/slow-requests.ts';
import { limitFailedAuthentications, limitOperator, limitPerAccount, limitSignIns } from './http/caller-limits.ts';
import { measureRequests, routeLabel } from './metrics/http-metrics.ts';
import { KEYED_OPERATIONS, OPEN_OPERATIONS, OPERATIONS, OPERATOR_OPERATIONS } from './operations.ts';
import { authenticateOperator, createOperatorAccess } from './operator/operator-access.ts';
import { createRouteFinder, forUploadRequests, methodGuard, createRoutes } from './rest/routes.ts';
import { nameTusVersion, TUS_PATH } from './resumable-uploads/tus-headers.ts';
import { sessionCookie } from './http/session-cookie.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { temporalUiRoutes } from './temporal-ui/temporal-ui-routes.ts';
import type { FieldNeeds } from './graphql-schema.ts';

/** The gateway as an Express application: every handler, in the order of execution. */
export function createApp(deps: GatewayDeps): Express {
  const { limits, callers, sessionCallers, admission, operations } = createGateway(deps);
  const { stores, log } = deps;
  const app = express();
  app.set('trust proxy', deps.trustedProxies ?? 0);
  app.disable('x-powered-by').set('query parser', 'simple').set('etag', false).set('case sensitive routing', true);
  const findRoute = createRouteFinder(OPERATIONS);
  const labelRoute = routeLabel(findRoute);
  app.use(
    traceRequests(labelRoute),
    requestContext(log),
    measureRequests(deps.metrics.http, labelRoute),
    securityHeaders(),
  );
  app.use(limitIdleRequests, limitSlowBodies(limits), oneHost);
  app.use(TUS_PATH, nameTusVersion);
  // Precedes all expensive handlers: while a part is unavailable, one refused upload must not delay the next.
  app.use(forUploadRequests(findRoute, returnUploadIdempotencyKey, admission.check));
  // The dashboard's pages precede the method guard, since a page and the file of an upload can share a URL, and
  // the latter supports PUT.
  const dashboard = dashboardPages(deps, (path) => findRoute(path) !== undefined);
  app.use(dashboard.pages, methodGuard(findRoute));
  app.use(docsRoutes(deps), guideRoutes(deps.guideFolder), graphiqlRoutes(), createRoutes(OPEN_OPERATIONS, operations));
  const cookie = sessionCookie(deps.publicUrl);
  const operator = createOperatorAccess(deps.operatorKey, stores.operatorSessions);
  const { accounts, apiKeys, audit, idempotencyKeys, sessions, signInLinks } = stores;
  const countSignIn = limitSignIns(limits);
  const signedIn = { accounts, apiKeys, audit, sessions, signInLinks };
  app.use(sessionRoutes({ ...deps, ...signedIn, callers, sessionCallers, cookie, operator, countSignIn }));

  app.use(['/v1', '/graphql'], tellReplays);
  const authentication = { callers, operator, onRefusal: limitFailedAuthentications(limits) };
  app.use(temporalUiRoutes({ ...deps, accounts, ...authentication, sessionCallers, cookie }));
  // One shared counter for both interfaces.
  const limit = limitPerAccount(limits);
  // A mutation is only recognized during execution. The GraphQL server then looks the caller up again.
  app.use(
    graphqlRoutes(
      { ...(operations satisfies FieldNeeds), callers, idempotencyKeys },
      () => import('./graphql-schema.ts'),
      [authenticate(authentication, () => true), limit],
    ),
  );
  const { publicUrl } = deps;
  const bySession = { callers: sessionCallers, cookie, publicUrl };
  const operatorAuthentication = { operator, cookie, publicUrl, onRefusal: authentication.onRefusal };
  app.use('/v1/operator', authenticateOperator(operatorAuthentication), limitOperator(limits));
  app.use(createRoutes(OPERATOR_OPERATIONS, operations));
  app.use('/v1', authenticate({ ...authentication, sessions: bySession }, isRead), limit, refuseKeysInFlight());
  // A permit belongs to an account, so a request without a key never has one.
  app.use(forUploadRequests(findRoute, admission.requirePermit));
  app.use(createRoutes(KEYED_OPERATIONS, operations));
  app.use(dashboard.unknownPages, () => {
    throw nothingThere();
  });
  app.use(problemHandler);
  return app;
}

function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // The operator decides whether the gateway is behind TLS.
    strictTransportSecurity: false,
  });
}
