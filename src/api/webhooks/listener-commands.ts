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

type ListenerDeps = Pick<CommandDeps, 'accountChanges' | 'deliveries' | 'webhookListeners' | 'now'>;

export function createListenerCommands(deps: ListenerDeps) {
  const { deliveries, webhookListeners: listeners } = deps;
  return {
    /**
     * Creates a listener, or continues the one with this name.
     * @param order `since` in ISO 8601; absent: continues where the listener was
     * @throws Failure BAD_USER_INPUT beyond the maximum number of listeners
     */
    async openListener(
      caller: Caller,
      order: { name: string; events: readonly Subscription[]; since?: string | undefined },
      idempotencyKey: IdempotencyKey,
    ): Promise<ListenerWithSecret> {
      const { id: accountId } = caller.account;
      const { name, since = null } = order;
      const events = toSubscriptions(order.events);
      const result = await changeAccount(deps, caller, {
        operation: 'openListener',
        request: { name, events, since },
        idempotencyKey,
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

    /** Deletes a listener; its waiting deliveries fail. @throws Failure NOT_FOUND */
    async deleteListener(caller: Caller, listenerId: string, idempotencyKey: IdempotencyKey): Promise<void> {
      await changeAccount(deps, caller, {
        operation: 'deleteListener',
        request: listenerId,
        idempotencyKey,
        audit: { action: 'webhook.stop_listening' },
        async change({ webhookListeners }) {
          const removed = isId('lsn', listenerId) && (await webhookListeners.remove(caller.account.id, listenerId));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: listenerId, value: undefined };
        },
      });
    },

    /** Logs the only attempt of a delivery and takes it from the queue; a repetition has no effect. @throws Failure NOT_FOUND */
    async recordAnswer(
      { account: { id: accountId } }: Caller,
      listenerId: string,
      deliveryId: string,
      { httpStatus, latencyMs, answer }: ForwardedAnswer,
    ): Promise<void> {
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
