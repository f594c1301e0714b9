import { and, asc, eq, sql } from 'drizzle-orm';
import type { DisabledReason } from '../../domain/events/disabling.ts';
import type { Subscription, WebhookFormat } from '../../domain/events/events.ts';
import { Failure } from '../../domain/failures.ts';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { newId } from '../../domain/ids.ts';
import { deliveries, webhookEndpoints } from '../schema/webhooks.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { newWebhookSecret } from './webhook-secret.ts';

export interface WebhookEndpoint {
  id: string;
  accountId: string;
  url: string;
  events: Subscription[];
  format: WebhookFormat;
  createdAt: string;
  /** Null while it is enabled */
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success; null while deliveries succeed */
  failingSince: string | null;
}

export interface EndpointChange {
  url?: string | undefined;
  events?: Subscription[] | undefined;
  format?: WebhookFormat | undefined;
  enabled?: boolean | undefined;
}

/** Maximum number of endpoints of an account (docs/contract.md). */
const MAX_WEBHOOK_ENDPOINTS = 5;
/** Milliseconds for which a replaced secret remains valid. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

const { id, accountId, url, events, format, createdAt, disabledAt, disabledReason, failingSince } = webhookEndpoints;
const SHOWN = { id, accountId, url, events, format, createdAt, disabledAt, disabledReason, failingSince };
const mine = (accountId: string, id: string) =>
  and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.id, id));

export const secretAad = (endpointId: string, column: 'secret' | 'previous_secret'): string =>
  `webhook_endpoints/${endpointId}/${column}`;

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>;

/** Webhook endpoints of accounts. A secret is returned only when it is created. */
export function createWebhookEndpoints({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    /** @throws Failure BAD_USER_INPUT when the account already has the maximum */
    create(
      accountId: string,
      url: string,
      events: Subscription[],
      format: WebhookFormat = 'BURNISH',
    ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await tx.$count(webhookEndpoints, eq(webhookEndpoints.accountId, accountId))) >= MAX_WEBHOOK_ENDPOINTS) {
          throw new Failure('BAD_USER_INPUT', {
            detail: `An account has at most ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints.`,
          });
        }
        const secret = newWebhookSecret();
        const enabled = { disabledAt: null, disabledReason: null, failingSince: null };
        const endpoint = { id: newId('whk', now()), accountId, url, events, format, createdAt: iso(now()), ...enabled };
        await tx
          .insert(webhookEndpoints)
          .values({ ...endpoint, secret: vault.seal(secret, secretAad(endpoint.id, 'secret')) });
        return { endpoint, secret };
      });
    },

    /** Endpoints, oldest first. */
    list(accountId: string): Promise<WebhookEndpoint[]> {
      return orm
        .select(SHOWN)
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.accountId, accountId))
        .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
    },

    async get(accountId: string, id: string): Promise<WebhookEndpoint | undefined> {
      const [endpoint] = await orm.select(SHOWN).from(webhookEndpoints).where(mine(accountId, id));
      return endpoint;
    },

    update(accountId: string, id: string, change: EndpointChange): Promise<WebhookEndpoint> {
      const { enabled, ...rest } = change;
      // coalesce keeps the time and the reason of the first disabling
      const state = enabled
        ? { disabledAt: null, disabledReason: null, failingSince: null }
        : {
            disabledAt: sql`coalesce(${webhookEndpoints.disabledAt}, ${iso(now())}::timestamptz)`,
            disabledReason: sql`case when ${webhookEndpoints.disabledAt} is null then 'request' else ${webhookEndpoints.disabledReason} end`,
          };
      return orm.transaction(async (tx) => {
        const [endpoint] = await tx
          .update(webhookEndpoints)
          // Sets the url to itself, since an update without columns is invalid.
          .set({
            url: sql`${webhookEndpoints.url}`,
            ...rest,
            // Failures of the previous receiver say nothing about the new one.
            ...(rest.url === undefined ? {} : { failingSince: null }),
            ...(enabled === undefined ? {} : state),
          })
          .where(mine(accountId, id))
          .returning(SHOWN);
        if (endpoint === undefined) throw new Failure('NOT_FOUND');
        if (endpoint.disabledAt !== null) await endDeliveries(tx, id);
        return endpoint;
      });
    },

    /**
     * Creates a new secret; deliveries are signed with both for 24 hours.
     * @throws Failure NOT_FOUND
     */
    rotateSecret(accountId: string, id: string): Promise<{ secret: string }> {
      return orm.transaction(async (tx) => {
        const [row] = await tx
          .select({ present: webhookEndpoints.secret })
          .from(webhookEndpoints)
          .where(mine(accountId, id))
          .for('update');
        if (row === undefined) throw new Failure('NOT_FOUND');
        const secret = newWebhookSecret();
        const previous = vault.open(row.present, secretAad(id, 'secret'));
        await tx
          .update(webhookEndpoints)
          .set({
            secret: vault.seal(secret, secretAad(id, 'secret')),
            previousSecret: vault.seal(previous, secretAad(id, 'previous_secret')),
            previousSecretUntil: iso(now() + ROTATION_MS),
          })
          .where(mine(accountId, id));
        return { secret };
      });
    },

    remove(accountId: string, id: string): Promise<boolean> {
      return orm.transaction(async (tx) => {
        const removed = await tx
          .delete(webhookEndpoints)
          .where(mine(accountId, id))
          .returning({ id: webhookEndpoints.id });
        if (removed.length > 0) await endDeliveries(tx, id);
        return removed.length > 0;
      });
    },
  };
}

async function endDeliveries(tx: Orm, endpointId: string): Promise<void> {
  await tx
    .update(deliveries)
    .set({ status: 'FAILED', nextAttemptAt: null })
    .where(and(eq(deliveries.endpointId, endpointId), eq(deliveries.status, 'PENDING')));
}
