import { mapPage } from '../../database/page.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import { requireRecord } from '../commands/checks.ts';
import { accepted, ok, page, type Located } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { pageRequest, withoutUndefined } from '../schemas/paging.ts';
import {
  type WebhookDeliveryRepresentation,
  deliverySchema,
  deliveryWithBodySchema,
  listDeliveriesQuery,
  representDelivery,
} from './webhook-schemas.ts';
import type { WebhookNeeds } from './webhook-commands.ts';

const tag = 'Webhooks';
const parameters = idPath('dlv');

async function withAttempts(
  delivery: LoggedDelivery,
  deliveries: Pick<Deliveries, 'attempts'>,
): Promise<WebhookDeliveryRepresentation> {
  const attempts = await deliveries.attempts(delivery.accountId, [delivery.id]);
  return representDelivery(delivery, attempts.get(delivery.id) ?? []);
}

/** A delivery with its attempts and its URL. */
export async function locatedDelivery(
  delivery: LoggedDelivery,
  deliveries: Pick<Deliveries, 'attempts'>,
): Promise<Located<WebhookDeliveryRepresentation>> {
  return { location: `/v1/webhook-deliveries/${delivery.id}`, body: await withAttempts(delivery, deliveries) };
}

/** `/v1/webhook-deliveries`: the log of deliveries. */
export const deliveryOperations = [
  operation({
    operationId: 'listWebhookDeliveries',
    graphql: { field: 'webhookDeliveries' },
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhook-deliveries',
    tag,
    summary: 'List deliveries with their attempts, newest first',
    description: 'Includes deliveries to deleted endpoints, and to the `webhookUrl` of uploads.',
    query: listDeliveriesQuery,
    answer: page(deliverySchema),
    async handle({ caller, query: { limit, after, webhookId, ...filter } }, { deliveries }: WebhookNeeds) {
      const { id: accountId } = caller.account;
      const request = { ...pageRequest({ limit, after }), ...withoutUndefined({ ...filter, endpointId: webhookId }) };
      const found = await deliveries.list(accountId, request);
      const attempts = await deliveries.attempts(
        accountId,
        found.items.map(({ id }) => id),
      );
      return mapPage(found, (each) => representDelivery(each, attempts.get(each.id) ?? []));
    },
  }),

  operation({
    operationId: 'getWebhookDelivery',
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhook-deliveries/{id}',
    tag,
    summary: 'Read a delivery with its attempts and its body',
    description: 'Each attempt has its HTTP status, its latency and the first bytes of the response.',
    parameters,
    answer: ok('The delivery in its current state.', deliveryWithBodySchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id } }, { deliveries }: WebhookNeeds) {
      const { id: accountId } = caller.account;
      const delivery = requireRecord(await deliveries.get(accountId, id));
      const body = requireRecord(await deliveries.body(accountId, id));
      return { ...(await withAttempts(delivery, deliveries)), body };
    },
  }),

  operation({
    operationId: 'redeliverWebhookDelivery',
    graphql: { field: 'redeliverWebhook' },
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhook-deliveries/{id}/redeliver',
    tag,
    summary: 'Send the event of a delivery again',
    description:
      'The same event goes to the same receiver as a new delivery. The repeated delivery stays in the log unchanged. A deleted or disabled endpoint answers BAD_USER_INPUT.',
    parameters,
    answer: accepted('The new delivery.', deliverySchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands, deliveries }: WebhookNeeds) =>
      locatedDelivery(await commands.redeliverWebhook(caller, id, idempotencyKey), deliveries),
  }),
];
