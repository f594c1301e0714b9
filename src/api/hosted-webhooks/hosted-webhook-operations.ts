import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { Failure } from '@burnish/contract';
import { temporalFailure } from '../commands/workflow-commands.ts';
import { nothingThere, sendProblem } from '../http/problem.ts';
import { readBody } from '../http/read-body.ts';
import { getContext } from '../http/request-context.ts';
import { openOperation } from '../rest/operation.ts';
import { incomingEvent, isOutsideReplayWindow, type IncomingEvent } from './hosted-event.ts';
import { isSameText, signatureKind } from './signature.ts';
import { signalWorkflows } from './signal-workflows.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { HostedEvents } from '../../database/hosted/hosted-events.ts';
import type { HostedIds } from '../../database/hosted/hosted-ids.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';

interface HostedWebhookNeeds {
  hostedEvents: HostedEvents;
  hostedIds: HostedIds;
  enhancements: Enhancements;
  /** Null without a hosted service */
  hosted: {
    /** Last part of the URL for its webhooks; null: webhooks are disabled */
    webhookToken: string | null;
    /** Secret of their signatures; null: the token alone protects the URL */
    webhookSecret: string | null;
    /** Header with a hex HMAC-SHA256, in lower case */
    signatureHeader: string;
  } | null;
  client: TemporalClient;
  /** Milliseconds since the epoch */
  now: () => number;
}

const BODY_BYTES = 1_000_000;
const SIGNAL_WAIT_MS = 5000;

/**
 * Webhooks of the hosted service. An event only signals workflows, which then read the state from the service: a
 * forged event costs one read. Events are stored for a day, to detect repetitions.
 */
export const hostedWebhookOperations = [
  openOperation({
    operationId: 'receiveHostedEvent',
    method: 'post',
    path: '/webhooks/hosted/{token}',
    tag: 'Webhooks',
    summary: 'Receive an event of the hosted service',
    description:
      'Only for the hosted service of the instance. Waiting workflows then read their state from the service. With a configured secret, the body must be signed: as hex HMAC-SHA256 in the configured header, or as in Standard Webhooks.',
    parameters: z.object({ token: z.string().meta({ description: 'Configured token of the webhooks' }) }),
    requestBody: { content: { 'application/json': { schema: z.looseObject({}) } } },
    responses: { '204': { description: 'The event was received. Repeated and unknown events get the same response.' } },
    refusals: {
      400: 'The body is not a JSON object.',
      403: 'The signature is missing or not valid, or the event is older than a day or from the future.',
      404: 'No webhook has this URL.',
      408: 'The body arrived too slowly (`REQUEST_TIMEOUT`). Send it again.',
      503: 'The event cannot be processed now. Send it again.',
    },
    before: (deps: HostedWebhookNeeds) => [checkToken(deps)],
    handle: (req, res, deps: HostedWebhookNeeds) => receive(deps, req, res),
  }),
];

function checkToken({ hosted }: HostedWebhookNeeds): RequestHandler {
  return (req, _res, next) => {
    const expected = hosted?.webhookToken ?? null;
    const { token } = req.params as { token: string };
    // The same response as for a URL without an operation.
    if (expected === null || !isSameText(token, expected)) throw nothingThere();
    next();
  };
}

async function receive(deps: HostedWebhookNeeds, req: Request<object>, res: Response): Promise<void> {
  const raw = await readBody(req, BODY_BYTES);
  const { webhookSecret, signatureHeader } = deps.hosted!;
  // 403 and not 401, because an API key would not help.
  const refuse = (detail: string): void => sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
  const signed = webhookSecret === null ? 'unsigned' : signatureKind(raw, req.headers, webhookSecret, signatureHeader);
  if (signed === undefined)
    return refuse('The signature is missing or not valid. Check the secret of the webhook in both services.');
  const { log } = getContext(res);
  const event = incomingEvent(raw);
  // Standard Webhooks includes the sending time, which the signature check verifies.
  if (signed === 'hex' && isOutsideReplayWindow(event, deps.now())) {
    return refuse('The event is older than a day, or from the future. Check the clocks of both services.');
  }
  const { createdMs: _, ...kept } = event;
  const { event: kind, id: eventId, remoteId } = event;
  if (!(await deps.hostedEvents.keep(kept))) {
    log.debug({ eventId }, 'repeated event of the hosted service');
  } else {
    const signals = await signalOrForget(deps, event);
    log.info({ eventId, event: kind, remoteId, signals }, 'event of the hosted service');
  }
  res.status(204).end();
}

/**
 * Signals the workflows of an event. On failure it deletes the event, so that the service's repetition counts as new.
 */
async function signalOrForget(deps: HostedWebhookNeeds, event: IncomingEvent): Promise<number> {
  try {
    return await deps.client.withDeadline(Date.now() + SIGNAL_WAIT_MS, () => signalWorkflows(deps, event));
  } catch (error) {
    await deps.hostedEvents.drop(event.id);
    throw error instanceof Failure ? error : temporalFailure(error);
  }
}
