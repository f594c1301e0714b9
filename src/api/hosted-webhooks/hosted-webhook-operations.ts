import express, { Router } from 'express';
import type { Request, Response } from 'express';
import { temporalFailure } from '../commands/send-update.ts';
import type { GatewayDeps } from '../deps.ts';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from '../http/problem.ts';
import { contextOf } from '../http/request-context.ts';
import { incomingEvent } from './hosted-event.ts';
import { isSameText, isSigned } from './signature.ts';
import { wake } from './signal-workflows.ts';

const BODY_BYTES = 1_000_000;
const WAKE_MS = 5000;

export type HostedWebhookDeps = Pick<GatewayDeps, 'hosted' | 'remoteEvents' | 'remoteIds' | 'enhancements' | 'client'>;

/**
 * Webhooks of the hosted service. An event only wakes: whoever could forge one costs us a read. What is taken is answered
 * with 204, known or not; it is kept for a day, for ids that become known later.
 */
export function hostedWebhookRoutes(deps: HostedWebhookDeps): Router {
  const router = Router();
  const readBody = express.raw({ type: () => true, limit: BODY_BYTES, inflate: false });
  router.post('/webhooks/hosted/:token', checkToken, readBody, (req, res) => receive(deps, req, res));
  return router;

  function checkToken(req: Request, _res: Response, next: () => void): void {
    const expected = deps.hosted?.webhookToken ?? null;
    const { token } = req.params as { token: string };
    // As for any address that is not there.
    if (expected === null || !isSameText(token, expected)) {
      throw new Failure('NOT_FOUND', { detail: 'There is nothing at this address.' });
    }
    next();
  }
}

async function receive(deps: HostedWebhookDeps, req: Request, res: Response): Promise<void> {
  const raw = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const { webhookSecret, signatureHeader } = deps.hosted!;
  if (webhookSecret !== null && !isSigned(raw, req.headers, webhookSecret, signatureHeader)) {
    // 403 and not 401: no API key would help.
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail: 'The signature is missing or not valid.' }), 403);
    return;
  }
  const { log } = contextOf(res);
  const event = incomingEvent(raw);
  const { event: kind, id: eventId, remoteId } = event;
  if (!(await deps.remoteEvents.keep(event))) {
    log.debug({ eventId }, 'repeated event of the hosted service');
  } else {
    const woken = await wakeOrForget(deps, event);
    log.info({ eventId, event: kind, remoteId, woken }, 'event of the hosted service');
  }
  res.status(204).end();
}

/** When nobody can be woken now, the service sends it again, and then it counts. */
async function wakeOrForget(deps: HostedWebhookDeps, event: ReturnType<typeof incomingEvent>): Promise<number> {
  try {
    return await deps.client.withDeadline(Date.now() + WAKE_MS, () => wake(deps, event));
  } catch (error) {
    await deps.remoteEvents.drop(event.id);
    throw error instanceof Failure ? error : temporalFailure(error);
  }
}
