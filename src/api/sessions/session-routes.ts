import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import type { SessionRepresentation } from '../../domain/representations/account.ts';
import { isKey } from '../http/authenticate.ts';
import type { Callers } from '../http/callers.ts';
import { actorOf, type Caller } from '../commands/command-types.ts';
import type { ApiKeys, KeyHolder } from '../../database/accounts/api-keys.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { Sessions } from '../../database/accounts/sessions.ts';
import type { SignInLinks } from '../../database/accounts/sign-in-links.ts';
import { sendProblem } from '../http/problem.ts';
import { contextOf } from '../http/request-context.ts';
import { jsonBody, sendJson, sendNoContent } from '../http/json.ts';
import type { SessionCookie } from './session-cookie.ts';
import { isFromOwnPage } from './same-origin.ts';

export interface SessionRoutesDeps {
  apiKeys: Pick<ApiKeys, 'get'>;
  sessions: Sessions;
  audit: Pick<AuditLog, 'record'>;
  signInLinks: Pick<SignInLinks, 'redeem'>;
  callers: Callers;
  sessionCallers: Callers;
  cookie: SessionCookie;
  /** Bounds attempts to sign in */
  limit: RequestHandler;
  publicUrl: string;
  version: string;
  engineVersion: string;
  sandbox: string;
  /** Where operators look at workflows */
  temporalUi?: { url: string; namespace: string } | undefined;
}

const noQuery = z.strictObject({});
const signInBody = z.union([
  z.strictObject({ apiKey: z.string().min(1).max(200) }),
  z.strictObject({ token: z.string().min(1).max(200) }),
]);

/** `/session`: signs the dashboard in and out, and shows the present session. It is the page's own, and no part of the interface. */
export function sessionRoutes(deps: SessionRoutesDeps): Router {
  const { sessions, callers, sessionCallers, cookie } = deps;
  const router = Router();
  router.use('/session', ownPageOnly(deps.publicUrl));

  router.get('/session', async (req, res) => {
    noQuery.parse(req.query);
    const token = cookie.read(req);
    const caller = token === undefined ? undefined : await sessionCallers.findRecent(token, req.ip);
    if (caller === undefined) {
      // Nobody is signed in, which is no error: the page asks to find out.
      if (token !== undefined) forget(res, cookie);
      sendNoContent(res.set('Cache-Control', 'no-store'));
      return;
    }
    contextOf(res).caller = asCaller(caller, req);
    sendJson(res, await describe(deps, caller));
  });

  router.post('/session', deps.limit, jsonBody, async (req, res) => {
    noQuery.parse(req.query);
    const by = signInBody.parse(req.body);
    const token =
      'apiKey' in by ? await openByKey(by.apiKey, req.ip) : (await deps.signInLinks.redeem(by.token))?.session;
    const caller = token === undefined ? undefined : await sessionCallers.find(token, req.ip);
    if (token === undefined || caller === undefined) throw new Failure('UNAUTHENTICATED');
    contextOf(res).caller = asCaller(caller, req);
    const entry = { accountId: caller.account.id, action: 'session.open', subjectId: null } as const;
    const details = { by: 'apiKey' in by ? 'key' : 'link' };
    await deps.audit.record({ ...actorOf(asCaller(caller, req)), ...entry, details });
    // A new sign-in ends the earlier session of this browser.
    const before = cookie.read(req);
    if (before !== undefined) await sessions.close(before);
    res.cookie(cookie.name, token, cookie.options);
    sendJson(res, await describe(deps, caller), 201);
  });

  router.delete('/session', async (req, res) => {
    noQuery.parse(req.query);
    const token = cookie.read(req);
    const caller = token === undefined ? undefined : await sessionCallers.find(token, req.ip);
    if (token !== undefined) {
      await sessions.close(token);
      sessionCallers.forget();
    }
    if (caller !== undefined) {
      const entry = { accountId: caller.account.id, action: 'session.close', subjectId: null } as const;
      await deps.audit.record({ ...actorOf(asCaller(caller, req)), ...entry });
    }
    forget(res, cookie);
    sendNoContent(res);
  });

  async function openByKey(apiKey: string, address: string | undefined): Promise<string | undefined> {
    const caller = isKey(apiKey) ? await callers.find(apiKey, address) : undefined;
    return caller && (await sessions.open(caller.keyId));
  }

  return router;
}

function ownPageOnly(publicUrl: string): RequestHandler {
  return (req, res, next) => {
    if (isFromOwnPage(req, publicUrl)) {
      next();
      return;
    }
    const detail = 'Sessions are for the dashboard of this instance only.';
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
  };
}

const asCaller = (holder: KeyHolder, { ip }: Pick<Request, 'ip'>): Caller => ({
  ...holder,
  address: ip ?? null,
  viaSession: true,
});

/** The session, as the page shows it. */
async function describe(
  deps: SessionRoutesDeps,
  { account, keyId, scopes }: KeyHolder,
): Promise<SessionRepresentation> {
  const key = await deps.apiKeys.get(account.id, keyId);
  return {
    account: { name: account.name, plan: account.plan },
    key: { id: keyId, name: key?.name ?? '', scopes },
    version: deps.version,
    engineVersion: deps.engineVersion,
    sandbox: deps.sandbox,
    temporalUi: deps.temporalUi ?? null,
  };
}

function forget(res: Response, { name, options: { maxAge: _, ...options } }: SessionCookie): void {
  res.clearCookie(name, options);
}
