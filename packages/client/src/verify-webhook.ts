import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { LowCreditLevel, SentEventKind } from '@burnish/contract';
import { BurnishError } from './burnish-error.ts';
import type { Batch, Credits, Enhancement, Upload, Webhook as Endpoint } from './types.ts';

/** Your own id and data; absent unless given at creation. */
interface Labels {
  reference?: string | undefined;
  customMetadata?: NonNullable<Upload['customMetadata']> | undefined;
}

type Analysis = Pick<Upload, 'id' | 'status' | 'subStatus' | 'metadata'> & Labels;

type BatchEvent = Pick<
  Batch,
  'id' | 'status' | 'pauseReason' | 'reference' | 'counts' | 'chargedCredits' | 'maxCredits' | 'prediction'
>;

/** The data of each kind of event. */
export interface WebhookEventData {
  'upload.status_update': Analysis & Pick<Upload, 'errorCode'>;
  'upload.sub_status_update': Analysis;
  'enhanced_image.status_update': Pick<
    Enhancement,
    | 'id'
    | 'uploadId'
    | 'status'
    | 'filename'
    | 'engineDuration'
    | 'estimatedCredits'
    | 'chargedCredits'
    | 'errorCode'
    | 'destination'
  > &
    Labels & {
      /** No step changed a picture; null until the engine ends */
      unchanged: boolean | null;
    };
  'credits.low': Pick<Credits, 'remainingCreditsThisPeriod' | 'periodStart' | 'periodEnd'> & {
    /** Percent of the granted credits */
    level: LowCreditLevel;
    grantedCreditsThisPeriod: number;
  };
  'webhook.disabled': Pick<Endpoint, 'id' | 'failingSince'> & {
    disabledReason: NonNullable<Endpoint['disabledReason']>;
    disabledAt: string;
  };
  'upload.deleted': Pick<Upload, 'id' | 'status' | 'deletedAt'> & Labels & { reason: Upload['deletionReason'] };
  'batch.approval_needed': BatchEvent;
  'batch.half_done': BatchEvent;
  'batch.trouble': BatchEvent;
  'batch.ended': BatchEvent;
  'webhook.test': { webhookId: string; message: string };
}

/** An event whose signature is valid. `event` tells the kinds apart. */
export type WebhookEvent = {
  [Kind in SentEventKind]: {
    /** Equal in every attempt: drop an event that you have seen */
    id: string;
    event: Kind;
    data: WebhookEventData[Kind];
    /** ISO 8601 */
    created: string;
  };
}[SentEventKind];

/** A request of Node.js with its raw body, as `express.raw({ type: 'application/json' })` provides it. */
export interface RawRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array | string;
}

/**
 * Verifies the signature of a webhook (Standard Webhooks, HMAC-SHA256) and its age of at most 5 minutes.
 * @param request of `fetch` servers, or with the raw body
 * @param secret of the endpoint (`whsec_…`)
 * @throws BurnishError INVALID_SIGNATURE: answer 400 and do nothing else; BAD_USER_INPUT without a secret
 */
export async function verifyWebhook(request: Request | RawRequest, secret: string): Promise<WebhookEvent> {
  if (typeof secret !== 'string' || secret === '') throw new BurnishError(NO_SECRET, { code: 'BAD_USER_INPUT' });
  const body = request instanceof Request ? await readText(request) : toText(request.body);
  const headers = request instanceof Request ? Object.fromEntries(request.headers) : flatten(request.headers);
  try {
    return new Webhook(secret).verify(body, headers) as WebhookEvent;
  } catch (cause) {
    if (!(cause instanceof WebhookVerificationError)) throw cause;
    const sentence = cause.message.startsWith('Message timestamp') ? OLD : `${UNSIGNED}: ${cause.message}. ${REMEDY}`;
    throw new BurnishError(sentence, { code: 'INVALID_SIGNATURE', cause });
  }
}

const NO_SECRET = 'The secret is missing. Pass the secret of the endpoint (whsec_…).';
const OLD =
  'The webhook is older than five minutes, or from the future. Refuse it, and check the clock of this machine.';
const UNSIGNED = 'The webhook is not signed with this secret';
const REMEDY = 'Check the secret of the endpoint.';

async function readText(request: Request): Promise<string> {
  if (!request.bodyUsed) return await request.text();
  const sentence =
    'The body of the request has been read. Verify the webhook first, and use the event that it returns.';
  throw new BurnishError(sentence, { code: 'INVALID_SIGNATURE' });
}

function toText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const sentence = "The body is parsed already. Pass the raw body: express.raw({ type: 'application/json' }).";
  throw new BurnishError(sentence, { code: 'INVALID_SIGNATURE' });
}

function flatten(headers: RawRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));
}
