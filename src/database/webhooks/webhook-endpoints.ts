import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import { Failure, newId } from '@burnish/contract';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { deliveries, webhookEndpoints } from '../schema/webhooks.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { createSecretAddresses } from '../secret-addresses.ts';
import { newWebhookSecret } from './webhook-secret.ts';

type Columns = typeof webhookEndpoints.$inferInsert;
type SecretColumn = 'secret' | 'previousSecret' | 'previousSecretUntil';

type StoredEndpoint = Omit<typeof webhookEndpoints.$inferSelect, SecretColumn | 'host'>;

export type WebhookEndpoint = Omit<StoredEndpoint, 'url'> & { url: string };

/** What its account decides. */
export type EndpointOrder = { url: string } & Omit<
  Columns,
  SecretColumn | 'url' | 'host' | 'id' | 'accountId' | 'createdAt' | 'disabledAt' | 'disabledReason' | 'failingSince'
>;

export type EndpointChange = { [Name in keyof EndpointOrder]?: EndpointOrder[Name] | undefined } & {
  enabled?: boolean | undefined;
};

/** Maximum number of endpoints of an account (docs/contract.md). */
const MAX_WEBHOOK_ENDPOINTS = 5;
/** Milliseconds for which a replaced secret remains valid. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

const {
  secret: _secret,
  previousSecret: _previousSecret,
  previousSecretUntil: _previousSecretUntil,
  host: _host,
  ...SHOWN
} = getTableColumns(webhookEndpoints);
const mine = (accountId: string, id: string) =>
  and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.id, id));

export const secretAad = (endpointId: string, column: 'secret' | 'previous_secret'): string =>
  `webhook_endpoints/${endpointId}/${column}`;

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>;

/** Webhook endpoints of accounts. A secret is returned only when it is created. */
export function createWebhookEndpoints({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const { openIn, sealReceiver } = createSecretAddresses(vault);
  const opened = (row: StoredEndpoint): WebhookEndpoint => openIn(row, 'url');
  return {
    /** @throws Failure BAD_USER_INPUT when the account already has the maximum */
    create(accountId: string, order: EndpointOrder): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await tx.$count(webhookEndpoints, eq(webhookEndpoints.accountId, accountId))) >= MAX_WEBHOOK_ENDPOINTS) {
          throw new Failure('BAD_USER_INPUT', {
            detail: `An account has at most ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints. Delete one, or change it.`,
          });
        }
        const secret = newWebhookSecret();
        const id = newId('whk', now());
        const sealed = vault.seal(secret, secretAad(id, 'secret'));
        const [endpoint] = await tx
          .insert(webhookEndpoints)
          .values({
            ...order,
            ...sealReceiver(accountId, order.url),
            id,
            accountId,
            createdAt: iso(now()),
            secret: sealed,
          })
          .returning(SHOWN);
        return { endpoint: opened(endpoint!), secret };
      });
    },

    /** Endpoints, oldest first. */
    async list(accountId: string): Promise<WebhookEndpoint[]> {
      const rows = await orm
        .select(SHOWN)
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.accountId, accountId))
        .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
      return rows.map(opened);
    },

    async get(accountId: string, id: string): Promise<WebhookEndpoint | undefined> {
      const [endpoint] = await orm.select(SHOWN).from(webhookEndpoints).where(mine(accountId, id));
      return endpoint && opened(endpoint);
    },

    update(accountId: string, id: string, change: EndpointChange): Promise<WebhookEndpoint> {
      const { enabled, url, ...rest } = change;
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
            ...(url === undefined ? {} : { ...sealReceiver(accountId, url), failingSince: null }),
            ...(enabled === undefined ? {} : state),
          })
          .where(mine(accountId, id))
          .returning(SHOWN);
        if (endpoint === undefined) throw new Failure('NOT_FOUND');
        if (endpoint.disabledAt !== null) await endDeliveries(tx, id);
        return opened(endpoint);
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
