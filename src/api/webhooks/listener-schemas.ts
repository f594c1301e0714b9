import { z } from 'zod';
import type { WebhookListener } from '../../database/webhooks/webhook-listeners.ts';
import { DELIVERY_ANSWER_BYTES } from '../../domain/events/delivery.ts';
import { SUBSCRIPTIONS } from '../../domain/events/events.ts';
import { LISTENER_NAME, MAX_WAITING } from '../../domain/events/listening.ts';
import { recordId } from '../schemas/fields.ts';
import { createWebhookBody, redeliverFailedBody } from './webhook-schemas.ts';

export const openListenerBody = z
  .strictObject({
    name: z.string().regex(LISTENER_NAME, 'expected 1 to 200 letters, digits or signs of . : @ / _ -').meta({
      description: 'Name of the program that listens, 1 to 200 letters, digits or signs of . : @ / _ -.',
      example: 'laptop/localhost:8080/hook',
    }),
    events: createWebhookBody.shape.events,
    since: redeliverFailedBody.shape.since.optional().meta({
      description:
        'Skips the events that wait, and sends the stored events since this time, also those that the listener has received. Absent: sends the events that wait.',
      example: '2026-01-31T09:30:00Z',
      override: { type: 'string', format: 'date-time' },
    }),
  })
  .meta({ id: 'OpenWebhookListener' });

const shape = {
  id: recordId('lsn'),
  name: z.string().meta({ description: 'Name of the program that listens.' }),
  events: z
    .array(z.enum(SUBSCRIPTIONS))
    .meta({ description: 'Kinds of events that the listener receives, or `*` for all.' }),
  createdAt: z.iso.datetime().meta({ description: 'Time of creation.' }),
  seenAt: z.iso.datetime().meta({ description: 'Latest contact, accurate to 10 minutes.' }),
  waiting: z
    .int()
    .meta({ description: `Number of events that wait. At ${MAX_WAITING}, further events are not recorded.` }),
};

export const listenerSchema = z
  .object(shape)
  .meta({ id: 'WebhookListener', description: 'A program that receives events without a public address.' });
export type WebhookListenerRepresentation = z.infer<typeof listenerSchema>;

export const listenerWithSecretSchema = z
  .object({
    ...shape,
    secret: z.string().meta({
      description: 'Secret of the Standard Webhooks signature. It depends on the account and the name alone.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'WebhookListenerWithSecret', description: 'A listener with its signing secret.' });

export function representListener({ accountId: _, ...listener }: WebhookListener): WebhookListenerRepresentation {
  return listener;
}

export const answerBody = z
  .strictObject({
    deliveryId: recordId('dlv').max(100),
    httpStatus: z
      .int()
      .min(100)
      .max(599)
      .nullable()
      .meta({ description: 'HTTP status of the receiver. Null without an answer.', example: 200 }),
    latencyMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .meta({ description: 'Milliseconds until the answer or the timeout.', example: 12 }),
    answer: z
      .string()
      .max(DELIVERY_ANSWER_BYTES)
      .default('')
      // A receiver may answer with any bytes, and PostgreSQL stores no NUL.
      .transform((text) => text.replace(/\p{Surrogate}|\0/gu, '\uFFFD'))
      .meta({ description: 'First characters of the answer, or the reason for its absence.', example: 'ok' }),
  })
  .meta({ id: 'ListenedAnswer' });
