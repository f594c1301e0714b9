import { randomUUID } from 'node:crypto';
import { EVENT_KINDS } from '../../domain/events/events.ts';
import { LISTENER_KEPT_MS, MAX_LISTENERS, MAX_REPLAYED, MAX_WAITING } from '../../domain/events/listening.ts';
import { requireRecord } from '../commands/checks.ts';
import { serveStream } from '../events/serve-stream.ts';
import { noContent, ok, sentByHandler, wholeList } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import {
  answerBody,
  listenerSchema,
  listenerWithSecretSchema,
  openListenerBody,
  representListener,
} from './listener-schemas.ts';
import { streamDeliveries } from './listener-stream.ts';
import type { Gateway } from '../gateway.ts';

const tag = 'Webhooks';
const parameters = idPath('lsn');
const HOURS_KEPT = LISTENER_KEPT_MS / 3_600_000;

/** `/v1/webhook-listeners`: programs that receive events without a public address. */
export const listenerOperations = [
  operation({
    operationId: 'openWebhookListener',
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhook-listeners',
    tag,
    summary: 'Listen for events without a public address',
    description: [
      `Creates a listener, or continues the one with this name. Events wait for it for ${HOURS_KEPT} hours after its last contact, at most ${MAX_WAITING}. Then the listener is deleted.`,
      `An account has at most ${MAX_LISTENERS} listeners, besides its endpoints. \`since\` repeats at most the latest ${MAX_REPLAYED} events. \`burnish listen\` and the client use these operations.`,
    ].join('\n\n'),
    body: openListenerBody,
    example: { name: 'laptop' },
    answer: ok('The listener, with its secret.', listenerWithSecretSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, body: { events = EVENT_KINDS, ...order }, idempotencyKey }, { commands }: Gateway) {
      const { secret, ...listener } = await commands.openListener(caller, { ...order, events }, idempotencyKey);
      return { ...representListener(listener), secret };
    },
  }),

  operation({
    operationId: 'listWebhookListeners',
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhook-listeners',
    tag,
    summary: 'List the listeners',
    description: 'Their secrets are not shown.',
    answer: wholeList(listenerSchema),
    handle: async ({ caller }, { webhookListeners }: Gateway) =>
      (await webhookListeners.list(caller.account.id)).map(representListener),
  }),

  operation({
    operationId: 'deleteWebhookListener',
    scope: 'webhooks',
    method: 'delete',
    path: '/v1/webhook-listeners/{id}',
    tag,
    summary: 'Delete a listener',
    description: 'Its stream ends, and its waiting deliveries become FAILED. The delivery log remains.',
    parameters,
    answer: noContent('The listener is deleted.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { id }, idempotencyKey }, { commands }: Gateway) =>
      commands.deleteListener(caller, id, idempotencyKey),
  }),

  operation({
    operationId: 'streamWebhookDeliveries',
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhook-listeners/{id}/deliveries',
    tag,
    summary: 'Receive the deliveries of a listener as server-sent events',
    description: [
      'Events `delivery` contain `{ id, headers, body }`, in the order of creation: POST `body` with `headers` to the receiver, then send its answer. At most ten deliveries wait for an answer at a time. A delivery without an answer is sent again on the next stream.',
      'A listener has one stream: a new one replaces it. The event `end` is the last one, with the `reason`: `replaced` or `deleted`.',
    ].join('\n\n'),
    parameters,
    answer: sentByHandler({
      '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    }),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, res }, deps: Gateway) {
      const accountId = caller.account.id;
      const listener = requireRecord(await deps.webhookListeners.get(accountId, id));
      await serveStream(deps, res, async (writer, closing) => {
        const stream = randomUUID();
        await deps.webhookListeners.attach(accountId, id, stream);
        await streamDeliveries(deps, writer, { listener, stream, closing });
      });
    },
  }),

  operation({
    operationId: 'answerWebhookDelivery',
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhook-listeners/{id}/answers',
    tag,
    summary: "Send the receiver's answer to a delivery",
    description:
      'Logs the attempt: a 2xx status makes the delivery DELIVERED, and anything else FAILED. Burnish does not repeat it by itself. A second answer to a delivery has no effect.',
    parameters,
    body: answerBody,
    example: { deliveryId: 'dlv_01jz8k3v5wq4m2n7p9r6s8t0xy', httpStatus: 200, latencyMs: 12, answer: 'ok' },
    withoutKey: true,
    answer: noContent('The answer was recorded.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { id }, body: { deliveryId, ...answer } }, { commands }: Gateway) =>
      commands.recordAnswer(caller, id, deliveryId, answer),
  }),
];
