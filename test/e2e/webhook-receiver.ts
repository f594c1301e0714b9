import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenHttp, type LocalServer } from '../support/local-server.ts';
import { until } from '../support/until.ts';

export interface ReceivedEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
  created: string;
}

export interface Delivered {
  headers: IncomingHttpHeaders;
  /** The body, byte for byte */
  text: string;
  event: ReceivedEvent;
  /** What it was answered with */
  status: number;
}

export interface WebhookReceiver extends LocalServer {
  /** Every request so far, also those that were answered with an error */
  deliveries: Delivered[];
  /** What the next requests are answered with; a function decides it by the event */
  answerWith(status: number | ((event: ReceivedEvent) => number)): void;
  /** The first event that fits, however long it takes */
  received(fits: (event: ReceivedEvent) => boolean): Promise<Delivered>;
}

/** What stands at the other end of a `webhookUrl`. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const deliveries: Delivered[] = [];
  let answer: Parameters<WebhookReceiver['answerWith']>[0] = 204;
  const server = await listenHttp((req, res) => {
    void buffer(req).then((body) => {
      const text = body.toString('utf8');
      const event = JSON.parse(text) as ReceivedEvent;
      const status = typeof answer === 'number' ? answer : answer(event);
      deliveries.push({ headers: req.headers, text, event, status });
      res.writeHead(status).end();
    });
  });
  return {
    ...server,
    deliveries,
    answerWith: (next) => void (answer = next),
    received: (fits) => until(() => deliveries.find(({ event }) => fits(event))),
  };
}

/**
 * Verifies as the Standard Webhooks specification says, written from its text: HMAC-SHA256 over `id.timestamp.body` with the
 * decoded secret, in base64 behind `v1,`, among others between blanks.
 */
export function isSignedBy(secret: string, { headers, text }: Delivered): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  return signatures!.split(' ').some((signature) => {
    const [version, digest = ''] = signature.split(',');
    const given = Buffer.from(digest, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
