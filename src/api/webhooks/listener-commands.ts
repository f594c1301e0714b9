import { toSubscriptions, type Subscription } from '../../domain/events/events.ts';
import type { DeliveryAttempt } from '../../domain/events/delivery.ts';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import type { WebhookListener } from '../../database/webhooks/webhook-listeners.ts';
import { changeAccount, requireEarlier } from '../commands/change-account.ts';
import { requireById } from '../commands/checks.ts';
import type { Caller, CommandDeps, IdempotencyKey } from '../commands/command-types.ts';

export interface ListenerWithSecret extends WebhookListener {
  /** `whsec_…` */
  secret: string;
}

/** What a receiver answered to a delivery that a listener forwarded. */
export type ForwardedAnswer = Pick<DeliveryAttempt, 'httpStatus' | 'latencyMs' | 'answer'>;

export interface ListenerCommands {
  /**
   * Creates a listener, or continues the one with this name.
   * @param order `since` in ISO 8601; absent: continues where the listener was
   * @throws Failure BAD_USER_INPUT beyond the maximum number of listeners
   */
  openListener(
    caller: Caller,
    order: { name: string; events: readonly Subscription[]; since?: string | undefined },
    key: IdempotencyKey,
  ): Promise<ListenerWithSecret>;
  /** Deletes a listener; its waiting deliveries fail. @throws Failure NOT_FOUND */
  deleteListener(caller: Caller, listenerId: string, key: IdempotencyKey): Promise<void>;
  /** Logs the only attempt of a delivery and takes it from the queue; a repetition has no effect. @throws Failure NOT_FOUND */
  recordAnswer(caller: Caller, listenerId: string, deliveryId: string, answer: ForwardedAnswer): Promise<void>;
}

type ListenerDeps = Pick<CommandDeps, 'accountChanges' | 'deliveries' | 'webhookListeners' | 'now'>;

export function createListenerCommands(deps: ListenerDeps): ListenerCommands {
  const { deliveries, webhookListeners: listeners } = deps;
  return {
    async openListener(caller, { name, events: given, since = null }, key) {
      const { id: accountId } = caller.account;
      const events = toSubscriptions(given);
      const result = await changeAccount(deps, caller, {
        operation: 'openListener',
        request: { name, events, since },
        key,
        audit: { action: 'webhook.listen', details: { name, events, since } },
        async change({ webhookListeners }) {
          const id = await webhookListeners.open(accountId, { name, events, since });
          return { subjectId: id, value: id };
        },
      });
      const id = 'value' in result ? result.value : result.repeated;
      const listener = requireEarlier(await listeners.get(accountId, id));
      return { ...listener, secret: await listeners.secret(listener) };
    },

    async deleteListener(caller, listenerId, key) {
      await changeAccount(deps, caller, {
        operation: 'deleteListener',
        request: listenerId,
        key,
        audit: { action: 'webhook.stop_listening' },
        async change({ webhookListeners }) {
          const removed = isId('lsn', listenerId) && (await webhookListeners.remove(caller.account.id, listenerId));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: listenerId, value: undefined };
        },
      });
    },

    async recordAnswer({ account: { id: accountId } }, listenerId, deliveryId, { httpStatus, latencyMs, answer }) {
      const delivery = await requireById('dlv', deliveryId, (id) => deliveries.get(accountId, id));
      if (delivery.endpointId !== listenerId) throw new Failure('NOT_FOUND');
      const delivered = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
      const at = new Date(deps.now()).toISOString();
      await deliveries.recordAttempt(
        deliveryId,
        {
          number: 1,
          at,
          httpStatus,
          latencyMs,
          answer,
          retryAfterMs: null,
          outcome: delivered ? 'delivered' : 'failed',
        },
        { status: delivered ? 'DELIVERED' : 'FAILED', nextAttemptAt: null },
      );
      await listeners.wake(listenerId);
    },
  };
}
