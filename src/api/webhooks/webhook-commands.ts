import pLimit from 'p-limit';
import { TEST_EVENT_KIND, toSubscriptions, Failure, isId, newId, nameFieldAsync } from '@burnish/contract';
import { MAX_REDELIVERIES, type LoggedDelivery } from '../../domain/events/delivery.ts';
import type {
  EndpointChange,
  EndpointOrder,
  WebhookEndpoint,
  WebhookEndpoints,
} from '../../database/webhooks/webhook-endpoints.ts';
import { requireById } from '../commands/checks.ts';
import { changeAccount, requireEarlier } from '../commands/change-account.ts';
import { auditEntry, type Caller, type IdempotencyKey, type TemporalClient } from '../commands/command-types.ts';
import { claimIdempotencyKey, fingerprint, keyedId } from '../commands/idempotency.ts';
import { startDelivery, startRedelivery } from './start-delivery.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';

/** Maximum number of concurrent starts of one request, far fewer than those of the whole gateway. */
const STARTS_AT_ONCE = 8;

export interface WebhookWithSecret {
  endpoint: WebhookEndpoint;
  /** `whsec_…`, shown once; null when the request repeats an earlier one with the same idempotency key */
  secret: string | null;
}

export interface WebhookCommandDeps {
  accountChanges: AccountChanges;
  /** Checks URLs that are stored and called repeatedly */
  assertAllowedEndpoint: SafeFetch['assertAllowedEndpoint'];
  audit: AuditLog;
  client: TemporalClient;
  deliveries: Deliveries;
  idempotencyKeys: IdempotencyKeys;
  /** Milliseconds since the epoch */
  now: () => number;
  webhookEndpoints: WebhookEndpoints;
}

export function createWebhookCommands(deps: WebhookCommandDeps) {
  return {
    /** @throws Failure URL_NOT_ALLOWED with field `url`; BAD_USER_INPUT when the account already has five */
    async createWebhook(
      caller: Caller,
      given: EndpointOrder,
      idempotencyKey: IdempotencyKey,
    ): Promise<WebhookWithSecret> {
      const { id: accountId } = caller.account;
      const { url } = given;
      await nameFieldAsync('url', async () => deps.assertAllowedEndpoint(url));
      const events = toSubscriptions(given.events);
      if (events.length === 0) {
        throw new Failure('BAD_USER_INPUT', {
          field: 'events',
          detail: 'The list has no event. Send at least one kind, or * for all.',
        });
      }
      const result = await changeAccount(deps, caller, {
        operation: 'createWebhook',
        request: { ...given, events },
        idempotencyKey,
        audit: { action: 'webhook.create', details: { host: new URL(url).host, events } },
        async change({ webhookEndpoints }) {
          const value = await webhookEndpoints.create(accountId, { ...given, events });
          return { subjectId: value.endpoint.id, value };
        },
      });
      if ('value' in result) return result.value;
      return { endpoint: requireEarlier(await deps.webhookEndpoints.get(accountId, result.repeated)), secret: null };
    },

    /**
     * Changes the given fields. Disabling ends pending deliveries; enabling clears earlier failures.
     * @throws Failure NOT_FOUND; URL_NOT_ALLOWED with field `url`
     */
    async changeWebhook(
      caller: Caller,
      webhookId: string,
      change: EndpointChange,
      idempotencyKey: IdempotencyKey,
    ): Promise<WebhookEndpoint> {
      const { id: accountId } = caller.account;
      const { url, events, ...others } = change;
      if (url !== undefined) await nameFieldAsync('url', async () => deps.assertAllowedEndpoint(url));
      const kinds = events && toSubscriptions(events);
      const result = await changeAccount(deps, caller, {
        operation: 'changeWebhook',
        request: { webhookId, ...change },
        idempotencyKey,
        audit: {
          action: 'webhook.change',
          details: { host: url && new URL(url).host, events: kinds, ...others },
        },
        async change({ webhookEndpoints }) {
          const wanted = kinds === undefined ? change : { ...change, events: kinds };
          const value = await requireById('whk', webhookId, (id) => webhookEndpoints.update(accountId, id, wanted));
          return { subjectId: webhookId, value };
        },
      });
      if ('value' in result) return result.value;
      return requireEarlier(await deps.webhookEndpoints.get(accountId, webhookId));
    },

    /**
     * Repeats deliveries that have failed since a given time and have not been repeated, at most `MAX_REDELIVERIES`.
     * @param since ISO 8601
     * @throws Failure NOT_FOUND; BAD_USER_INPUT when the endpoint is disabled
     */
    async redeliverFailed(
      caller: Caller,
      webhookId: string,
      since: string,
      idempotencyKey: IdempotencyKey,
    ): Promise<{ deliveryIds: string[]; more: boolean }> {
      const { id: accountId } = caller.account;
      const endpoint = await requireById('whk', webhookId, (id) => deps.webhookEndpoints.get(accountId, id));
      assertEnabled(endpoint);
      const operation = 'redeliverFailed';
      const claim = { operation, subjectId: webhookId, fingerprint: fingerprint({ webhookId, since }) };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      const failed = await deps.deliveries.failedSince(accountId, webhookId, since, MAX_REDELIVERIES + 1);
      const chosen = failed.slice(0, MAX_REDELIVERIES);
      // The id is derived from the failed delivery, so that two concurrent requests repeat it once.
      const again = chosen.map((repeated) => ({ id: keyedId('dlv', accountId, operation, repeated.id), repeated }));
      const limit = pLimit(STARTS_AT_ONCE);
      await Promise.all(again.map((each) => limit(() => startRedelivery(deps, each))));
      const details = { since, deliveries: again.length };
      const entry = auditEntry(caller, { action: 'webhook.redeliver_failed', subjectId: webhookId, details });
      if (again.length > 0) await deps.audit.record(entry);
      return { deliveryIds: again.map(({ id }) => id), more: failed.length > chosen.length };
    },

    /** Deletes an endpoint and ends its pending deliveries; their log remains. @throws Failure NOT_FOUND */
    async deleteWebhook(caller: Caller, webhookId: string, idempotencyKey: IdempotencyKey): Promise<void> {
      await changeAccount(deps, caller, {
        operation: 'deleteWebhook',
        request: webhookId,
        idempotencyKey,
        audit: { action: 'webhook.delete' },
        async change({ webhookEndpoints }) {
          const removed = isId('whk', webhookId) && (await webhookEndpoints.remove(caller.account.id, webhookId));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: webhookId, value: undefined };
        },
      });
    },

    /** Creates a new secret; the previous one remains valid for 24 hours. @throws Failure NOT_FOUND */
    async rotateWebhookSecret(
      caller: Caller,
      webhookId: string,
      idempotencyKey: IdempotencyKey,
    ): Promise<WebhookWithSecret> {
      const { id: accountId } = caller.account;
      const result = await changeAccount(deps, caller, {
        operation: 'rotateWebhookSecret',
        request: webhookId,
        idempotencyKey,
        audit: { action: 'webhook.rotate_secret' },
        async change({ webhookEndpoints }) {
          const endpoint = await requireById('whk', webhookId, (id) => webhookEndpoints.get(accountId, id));
          const { secret } = await webhookEndpoints.rotateSecret(accountId, webhookId);
          return { subjectId: webhookId, value: { endpoint, secret } };
        },
      });
      if ('value' in result) return result.value;
      return { endpoint: requireEarlier(await deps.webhookEndpoints.get(accountId, webhookId)), secret: null };
    },

    /**
     * Sends the event of a delivery to the same receiver again, as a new delivery.
     * @throws Failure NOT_FOUND; BAD_USER_INPUT when the endpoint has been removed or disabled
     */
    async redeliverWebhook(
      caller: Caller,
      deliveryId: string,
      idempotencyKey: IdempotencyKey,
    ): Promise<LoggedDelivery> {
      const { id: accountId } = caller.account;
      const read = (id: string): Promise<LoggedDelivery> =>
        requireById('dlv', id, (each) => deps.deliveries.get(accountId, each));
      const repeated = await read(deliveryId);
      await assertReceiverThere(accountId, repeated);
      const id =
        idempotencyKey === null ? newId('dlv', deps.now()) : keyedId('dlv', accountId, idempotencyKey, deliveryId);
      const claim = { operation: 'redeliverWebhook', subjectId: id, fingerprint: deliveryId };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      await startRedelivery(deps, { id, repeated });
      const details = { redeliveryOf: deliveryId };
      await deps.audit.record(auditEntry(caller, { action: 'webhook.redeliver', subjectId: id, details, once: true }));
      return await read(id);
    },

    /**
     * Sends an event of kind `webhook.test` to an endpoint, regardless of its subscribed kinds, with attempts and a log
     * like any other event.
     * @throws Failure NOT_FOUND; BAD_USER_INPUT when the endpoint is disabled
     */
    async testWebhook(caller: Caller, webhookId: string, idempotencyKey: IdempotencyKey): Promise<LoggedDelivery> {
      const { id: accountId } = caller.account;
      const endpoint = await requireById('whk', webhookId, (id) => deps.webhookEndpoints.get(accountId, id));
      assertEnabled(endpoint);
      const makeId = (prefix: 'dlv' | 'evt'): string =>
        idempotencyKey === null
          ? newId(prefix, deps.now())
          : keyedId(prefix, accountId, idempotencyKey, `test ${webhookId}`);
      const id = makeId('dlv');
      const claim = { operation: 'testWebhook', subjectId: id, fingerprint: webhookId };
      await claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, ...claim });
      // Writes the record first, because the delivery's workflow reads the event from it. After a crash in between,
      // the caller repeats the request.
      await deps.deliveries.recordTest(accountId, {
        id,
        endpoint,
        event: {
          id: makeId('evt'),
          event: TEST_EVENT_KIND,
          data: { webhookId, message: 'A requested test event.' },
          created: new Date(deps.now()).toISOString(),
        },
      });
      const { host } = new URL(endpoint.url);
      await startDelivery(
        deps.client,
        accountId,
        { deliveryId: id, accountId, host, eventKind: TEST_EVENT_KIND },
        'on request',
      );
      const details = { webhookId };
      await deps.audit.record(auditEntry(caller, { action: 'webhook.test', subjectId: id, details, once: true }));
      return await requireById('dlv', id, (each) => deps.deliveries.get(accountId, each));
    },
  };

  async function assertReceiverThere(accountId: string, { endpointId }: LoggedDelivery): Promise<void> {
    if (endpointId === null) return;
    const endpoint = await deps.webhookEndpoints.get(accountId, endpointId);
    if (endpoint === undefined || endpoint.disabledAt !== null) {
      const detail = 'The receiver is deleted or disabled. Enable the endpoint, or register a new one.';
      throw new Failure('BAD_USER_INPUT', { detail });
    }
  }
}

/** @throws Failure BAD_USER_INPUT, since a disabled endpoint receives nothing */
function assertEnabled({ disabledAt }: WebhookEndpoint): void {
  if (disabledAt === null) return;
  throw new Failure('BAD_USER_INPUT', { detail: 'The endpoint is disabled. Enable it first.' });
}

/** What the operations and the fields of this resource use. */
export interface WebhookNeeds {
  webhookEndpoints: WebhookEndpoints;
  deliveries: Deliveries;
  commands: ReturnType<typeof createWebhookCommands>;
}
