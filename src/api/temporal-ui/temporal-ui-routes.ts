import { Router, type Request, type RequestHandler, type Response } from 'express';
import { Failure, TEMPORAL_UI_ENTRANCE } from '@burnish/contract';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { ApiKeyHolder } from '../../database/accounts/api-keys.ts';
import { DECODE_BODY_BYTES } from '../../temporal/decode-request.ts';
import { readApiKey, getContext, readHeader } from '../http/request-context.ts';
import { mayBeCredential, type Callers } from '../http/authenticate.ts';
import { sendJson } from '../rest/answers.ts';
import { readJson } from '../rest/json-body.ts';
import { isFromOwnPage } from '../http/same-origin.ts';
import type { OperatorAccess } from '../operator/operator-access.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { html, page } from '../http/html.ts';

/** Base address of Temporal's remote codec protocol; the Web UI and the `temporal` program add `/decode`. */
export const CODEC_ENDPOINT = '/temporal-codec';

export interface TemporalUiDeps {
  accounts: Pick<Accounts, 'hasOthers'>;
  callers: Callers;
  sessionCallers: Callers;
  operator: OperatorAccess;
  cookie: SessionCookie;
  /** Runs before the refusal of a request; refuses it with RATE_LIMITED after too many failures */
  onRefusal: RequestHandler;
  publicUrl: string;
  temporalUi?: { url: string } | undefined;
  /** Adds a pass for the Web UI of the embedded server to a path with its query; absent without one */
  admitToTemporalUi?: ((to: string) => string) | undefined;
  decodePayloads: (body: unknown) => object;
}

/**
 * Access to workflows for operators: the entry to the embedded server's Web UI, and a codec endpoint for any other
 * one. Payloads belong to all accounts, so these routes accept the operator's key and session. While the instance has
 * one account, they also accept its keys and sessions with the scope `admin`.
 */
export function temporalUiRoutes(deps: TemporalUiDeps): Router {
  const router = Router();
  router.get([TEMPORAL_UI_ENTRANCE, `${TEMPORAL_UI_ENTRANCE}/*path`], async (req, res, next) => {
    if (deps.admitToTemporalUi === undefined) return next();
    res.set('Cache-Control', 'no-store');
    const token = deps.cookie.read(req);
    const query = /\?.*$/.exec(req.originalUrl)?.[0] ?? '';
    if (token === undefined || !(await deps.operator.isSession(token))) {
      const caller = token === undefined ? undefined : await deps.sessionCallers.find(token, req.ip);
      if (caller === undefined) return res.redirect(303, `/sign-in?to=${encodeURIComponent(req.path + query)}`);
      if (!(await admits(deps, caller, req, res))) {
        res.status(403).type('html').send(refusalPage());
        return;
      }
    }
    const path = req.path.slice(TEMPORAL_UI_ENTRANCE.length);
    res.redirect(303, deps.admitToTemporalUi((path.startsWith('/') ? path : '/') + query));
  });

  router.use(CODEC_ENDPOINT, crossOrigin(deps));
  router.post(`${CODEC_ENDPOINT}/decode`, authenticateOperator(deps), async (req, res) => {
    await readJson(req, DECODE_BODY_BYTES);
    sendJson(res, deps.decodePayloads(req.body));
  });
  return router;
}

/**
 * Payloads of workflows belong to all accounts: the only account of an instance may read them, with the scope `admin`. Its test account
 * does not count.
 */
export async function mayReadWorkflows(
  { accounts }: Pick<TemporalUiDeps, 'accounts'>,
  { account, scopes }: Pick<ApiKeyHolder, 'account' | 'scopes'>,
): Promise<boolean> {
  return account.testOf === null && scopes.includes('admin') && !(await accounts.hasOthers(account.id));
}

/** Names the caller in the log of the request. @returns whether the caller may read workflows */
async function admits(deps: TemporalUiDeps, caller: ApiKeyHolder, req: Request, res: Response): Promise<boolean> {
  getContext(res).caller = { ...caller, address: req.ip ?? null };
  return await mayReadWorkflows(deps, caller);
}

function authenticateOperator(deps: TemporalUiDeps): RequestHandler {
  return async (req, res, next) => {
    const key = readApiKey(req);
    const token = key === undefined && mayUseCookie(deps, req) ? deps.cookie.read(req) : undefined;
    if (
      key === undefined
        ? token !== undefined && (await deps.operator.isSession(token))
        : deps.operator.isOperatorKey(key)
    ) {
      next();
      return;
    }
    const credential = key ?? token;
    const by = key === undefined ? deps.sessionCallers : deps.callers;
    const caller =
      credential === undefined || !mayBeCredential(credential) ? undefined : await by.findRecent(credential, req.ip);
    if (caller === undefined) {
      await deps.onRefusal(req, res, (error?: unknown) => next(error ?? new Failure('UNAUTHENTICATED')));
      return;
    }
    if (await admits(deps, caller, req, res)) {
      next();
      return;
    }
    const detail =
      "The Temporal Web UI needs the operator's key or, on an instance with one account, an API key with the " +
      'scope admin.';
    throw new Failure('FORBIDDEN', { detail });
  };
}

/**
 * Whether a request may use its cookie. Browsers send a cookie with every request, so only the dashboard's page and
 * the Web UI may use it.
 */
function mayUseCookie(deps: TemporalUiDeps, req: Request): boolean {
  return isWebUi(deps, req) || isFromOwnPage(req, deps.publicUrl);
}

const isWebUi = ({ temporalUi }: TemporalUiDeps, req: Request): boolean =>
  temporalUi !== undefined && readHeader(req, 'origin') === new URL(temporalUi.url).origin;

/** Allows pages of the Web UI, and of no other origin, to send requests and read the responses. */
function crossOrigin(deps: TemporalUiDeps): RequestHandler {
  return (req, res, next) => {
    res.vary('Origin');
    if (isWebUi(deps, req)) {
      res.set('Access-Control-Allow-Origin', readHeader(req, 'origin')).set('Access-Control-Allow-Credentials', 'true');
    }
    if (req.method !== 'OPTIONS') return next();
    res.set('Access-Control-Allow-Methods', 'POST').set('Access-Control-Max-Age', '600');
    res.set('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization').status(204).end();
  };
}

/** The page for people that are signed in and may not open the Web UI. */
function refusalPage(): string {
  return page(
    "Temporal's Web UI · Burnish",
    '/docs/style.css',
    html`<body>
      <main>
        <h1>This session may not open Temporal's Web UI</h1>
        <p>
          The Web UI shows the workflows of all accounts. Sign out, and <a href="/sign-in">sign in</a> with the
          operator's key. While the instance has one account, its API key with the scope <code>admin</code> opens it,
          too.
        </p>
        <p><a href="/">Return to the dashboard</a></p>
      </main>
    </body>`,
  );
}
