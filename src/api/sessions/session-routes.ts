import { Router, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import {
  OPERATOR,
  Failure,
  type TemporalUi,
  type OperatorSessionRepresentation,
  type SessionRepresentation,
} from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import { mayReadWorkflows } from '../temporal-ui/temporal-ui-routes.ts';
import type { CountSignIn } from '../http/caller-limits.ts';
import { mayBeCredential, type Callers } from '../http/authenticate.ts';
import { toActor, type Caller } from '../commands/command-types.ts';
import type { ApiKeyHolder, ApiKeys } from '../../database/accounts/api-keys.ts';
import { sendProblem } from '../http/problem.ts';
import { getContext } from '../http/request-context.ts';
import { sendJson, sendNoContent } from '../rest/answers.ts';
import { onlyJson, readJson } from '../rest/json-body.ts';
import type { OperatorAccess } from '../operator/operator-access.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { isFromOwnPage } from '../http/same-origin.ts';
import type { Sessions } from '../../database/accounts/sessions.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { SignInLinks } from '../../database/accounts/sign-in-links.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';

export interface SessionRoutesDeps {
  apiKeys: ApiKeys;
  sessions: Sessions;
  audit: AuditLog;
  signInLinks: SignInLinks;
  accounts: Accounts;
  callers: Callers;
  sessionCallers: Callers;
  cookie: SessionCookie;
  operator: OperatorAccess;
  countSignIn: CountSignIn;
  publicUrl: string;
  version: string;
  engineVersion: string;
  sandbox: string;
  sandboxMissing: string | null;
  /** The Temporal Web UI for operators */
  temporalUi?: TemporalUi | undefined;
}

const noQuery = z.strictObject({});
const signInBody = z.union([
  z.strictObject({ apiKey: z.string().min(1).max(200) }),
  z.strictObject({ token: z.string().min(1).max(200) }),
]);

/**
 * `/session`: signs the dashboard in and out, and shows the current session. It belongs to the page, not to the
 * public interface.
 */
export function sessionRoutes(deps: SessionRoutesDeps): Router {
  const { sessions, callers, sessionCallers, cookie } = deps;
  const router = Router();
  router.use('/session', ownPageOnly(deps.publicUrl));

  router.get('/session', async (req, res) => {
    checked(noQuery, req.query, 'The query');
    const token = cookie.read(req);
    if (token !== undefined && (await deps.operator.isSession(token))) {
      sendJson(res, describeOperator(deps));
      return;
    }
    const caller = token === undefined ? undefined : await sessionCallers.findRecent(token, req.ip);
    if (caller === undefined) {
      // A missing session is no error: the page sends this request to find out.
      if (token !== undefined) forget(res, cookie);
      sendNoContent(res.set('Cache-Control', 'no-store'));
      return;
    }
    getContext(res).caller = asCaller(caller, req);
    sendJson(res, await describe(deps, caller));
  });

  router.post('/session', onlyJson, async (req, res) => {
    await readJson(req);
    checked(noQuery, req.query, 'The query');
    const by = checked(signInBody, req.body);
    if ('apiKey' in by && deps.operator.isOperatorKey(by.apiKey)) {
      const opened = await deps.operator.openSession();
      await recordOperator(req, 'session.open');
      await endEarlier(req);
      res.cookie(cookie.name, opened, cookie.options);
      sendJson(res, describeOperator(deps), 201);
      return;
    }
    const token =
      'apiKey' in by ? await openByKey(by.apiKey, req, res) : (await deps.signInLinks.redeem(by.token))?.session;
    const caller = token === undefined ? undefined : await sessionCallers.find(token, req.ip);
    if (token === undefined || caller === undefined) {
      await deps.countSignIn(req, res);
      throw new Failure('UNAUTHENTICATED');
    }
    getContext(res).caller = asCaller(caller, req);
    const entry = { accountId: caller.account.id, action: 'session.open', subjectId: null } as const;
    const details = { by: 'apiKey' in by ? 'key' : 'link' };
    await deps.audit.record({ ...toActor(asCaller(caller, req)), ...entry, details });
    await endEarlier(req);
    res.cookie(cookie.name, token, cookie.options);
    sendJson(res, await describe(deps, caller), 201);
  });

  router.delete('/session', async (req, res) => {
    checked(noQuery, req.query, 'The query');
    const token = cookie.read(req);
    if (token !== undefined && (await deps.operator.isSession(token))) await recordOperator(req, 'session.close');
    // The sign-out of a suspended account is not logged in its audit log.
    const caller = token === undefined ? undefined : await sessionCallers.find(token, req.ip).catch(unlessSuspended);
    if (token !== undefined) {
      await endEarlier(req);
      sessionCallers.forget();
    }
    if (caller !== undefined) {
      const entry = { accountId: caller.account.id, action: 'session.close', subjectId: null } as const;
      await deps.audit.record({ ...toActor(asCaller(caller, req)), ...entry });
    }
    forget(res, cookie);
    sendNoContent(res);
  });

  async function endEarlier(req: Request): Promise<void> {
    const token = cookie.read(req);
    if (token === undefined) return;
    await sessions.close(token);
    await deps.operator.closeSession(token);
  }

  /** Records a session of the operator in the audit log of the instance. */
  const recordOperator = (req: Request, action: 'session.open' | 'session.close'): Promise<void> =>
    deps.audit.record({ ...OPERATOR, address: req.ip ?? null, accountId: null, action, subjectId: null });

  async function openByKey(apiKey: string, req: Request, res: Response): Promise<string | undefined> {
    const caller = mayBeCredential(apiKey) ? await callers.find(apiKey, req.ip) : undefined;
    if (caller === undefined) return undefined;
    await deps.countSignIn(req, res, caller.keyId);
    return await sessions.open(caller.keyId);
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

const asCaller = (holder: ApiKeyHolder, { ip }: Pick<Request, 'ip'>): Caller => ({
  ...holder,
  address: ip ?? null,
  viaSession: true,
});

/** @throws the error itself, unless it is ACCOUNT_SUSPENDED */
function unlessSuspended(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'ACCOUNT_SUSPENDED') return undefined;
  throw error;
}

/** The session of the operator, for the page. */
function describeOperator(deps: SessionRoutesDeps): OperatorSessionRepresentation {
  const { version, engineVersion, sandbox, sandboxMissing, temporalUi = null } = deps;
  return { operator: true, version, engineVersion, sandbox, sandboxMissing, temporalUi };
}

async function describe(deps: SessionRoutesDeps, holder: ApiKeyHolder): Promise<SessionRepresentation> {
  const { account, plan, keyId, scopes } = holder;
  const key = await deps.apiKeys.get(account.id, keyId);
  // The only account of an instance belongs to its operator. Others learn nothing of the machine.
  const isOperators = await mayReadWorkflows(deps, holder);
  return {
    account: { name: account.name, plan: account.plan },
    plan: { name: plan.name, maxResolution: plan.maxResolution },
    key: { id: keyId, name: key?.name ?? '', scopes },
    version: deps.version,
    engineVersion: deps.engineVersion,
    sandbox: deps.sandbox,
    sandboxMissing: isOperators ? deps.sandboxMissing : null,
    temporalUi: isOperators ? (deps.temporalUi ?? null) : null,
  };
}

function forget(res: Response, { name, options: { maxAge: _, ...options } }: SessionCookie): void {
  res.clearCookie(name, options);
}
