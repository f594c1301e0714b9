import { TEST_EVENT_KIND } from '../../domain/events/events.ts';
import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import { Failure } from '../../domain/failures.ts';
import type { WebhookEndpoint } from '../ports.ts';
import { claim } from '../commands/claim-idempotency-key.ts';
import { foundById } from '../commands/require-record.ts';
import { keyedId, newId } from '../commands/ids.ts';
import { startDelivery } from './start-delivery.ts';
import type { Caller, CommandDeps, IdempotencyKey } from '../commands/command-types.ts';

type TestDeps = Pick<CommandDeps, 'client' | 'deliveries' | 'webhookEndpoints' | 'idempotencyKeys' | 'now'>;

/** See `WebhookCommands.testWebhook`. */
export async function testWebhook(
  deps: TestDeps,
  { account: { id: accountId } }: Caller,
  webhookId: string,
  key: IdempotencyKey,
): Promise<LoggedDelivery> {
  const endpoint = await foundById('whk', webhookId, (id) => deps.webhookEndpoints.get(accountId, id));
  assertEnabled(endpoint);
  const makeId = (prefix: 'dlv' | 'evt'): string =>
    key === null ? newId(prefix, deps.now()) : keyedId(prefix, accountId, key, `test ${webhookId}`);
  const id = makeId('dlv');
  await claim(deps.idempotencyKeys, {
    accountId,
    key,
    operation: 'testWebhook',
    fingerprint: webhookId,
    subjectId: id,
  });
  // The record first: the delivery's workflow reads from it what to send. Whoever is killed in between repeats the request.
  await deps.deliveries.recordTest(accountId, {
    id,
    endpoint,
    event: {
      id: makeId('evt'),
      event: TEST_EVENT_KIND,
      data: { webhookId, message: 'A test event, sent because somebody asked for it.' },
      created: new Date(deps.now()).toISOString(),
    },
  });
  const { host } = new URL(endpoint.url);
  await startDelivery(deps.client, { deliveryId: id, accountId, host, eventKind: TEST_EVENT_KIND }, 'on request');
  return await foundById('dlv', id, (each) => deps.deliveries.get(accountId, each));
}

/** @throws Failure BAD_USER_INPUT: nothing would be sent */
function assertEnabled({ disabledAt }: WebhookEndpoint): void {
  if (disabledAt === null) return;
  throw new Failure('BAD_USER_INPUT', { detail: 'The endpoint has been disabled, so nothing is sent to it.' });
}
