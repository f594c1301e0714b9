import { and, asc, eq, gte, inArray, isNotNull, notInArray, or, sql, type SQL } from 'drizzle-orm';
import { type AccountReceipt, FAILURE_CODES, UPLOAD_STATUSES } from '@burnish/contract';
import { provesBadFile } from '../../domain/bad-file.ts';
import type { Database } from '../database.ts';
import { accountReceipts, accounts, apiKeys } from '../schema/accounts.ts';
import { buckets } from '../schema/buckets.ts';
import { batches, batchItems } from '../schema/batches.ts';
import { enhancementLabels, enhancements } from '../schema/enhancements.ts';
import { looks } from '../schema/looks.ts';
import { presets } from '../schema/presets.ts';
import { idempotencyKeys } from '../schema/requests.ts';
import { signInLinks } from '../schema/sessions.ts';
import { resumableUploads } from '../schema/upload-parts.ts';
import { uploads } from '../schema/uploads.ts';
import { NO_NAME } from '../uploads/erase-uploads.ts';
import { webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';

const KEPT = UPLOAD_STATUSES.filter((status) => status !== 'UPLOAD_DELETED');
/** Failures after which the bytes of the upload are already removed. */
const WITHOUT_BYTES = FAILURE_CODES.filter(provesBadFile);
export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

/**
 * Deletion of accounts. Keys, sessions, links, and webhook endpoints are deleted at once. The workflows of the uploads
 * delete the files one by one. The ledger, the audit log and tombstones of uploads without names remain.
 */
export function createAccountDeletion({ orm }: Pick<Database, 'orm'>) {
  return {
    /**
     * Removes all credentials of the account and opens the receipt. Runs within the transaction that marks the
     * account.
     */
    async begin(accountId: string, orderedAt: string): Promise<AccountReceipt> {
      const keys = await orm.delete(apiKeys).where(eq(apiKeys.accountId, accountId)).returning({ id: apiKeys.id });
      await orm.delete(signInLinks).where(eq(signInLinks.accountId, accountId));
      await orm.delete(idempotencyKeys).where(eq(idempotencyKeys.accountId, accountId));
      await orm.delete(buckets).where(eq(buckets.accountId, accountId));
      const endpoints = await orm
        .delete(webhookEndpoints)
        .where(eq(webhookEndpoints.accountId, accountId))
        .returning({ id: webhookEndpoints.id });
      const counts = { apiKeys: keys.length, webhookEndpoints: endpoints.length };
      const receipt = { orderedAt, finishedAt: null, uploads: 0, results: 0, bytes: 0, ...counts };
      await orm.insert(accountReceipts).values({ accountId, receipt });
      return receipt;
    },

    async receipt(accountId: string): Promise<AccountReceipt | undefined> {
      const [row] = await orm.select().from(accountReceipts).where(eq(accountReceipts.accountId, accountId));
      return row?.receipt;
    },

    async open(limit: number): Promise<string[]> {
      const hasUpload = sql`exists (select 1 from ${uploads} where ${uploads.accountId} = ${accounts.id} and ${inArray(uploads.status, KEPT)})`;
      const isOpen = sql`${accountReceipts.receipt} ->> 'finishedAt' is null`;
      const rows = await orm
        .select({ id: accounts.id })
        .from(accounts)
        .innerJoin(accountReceipts, eq(accountReceipts.accountId, accounts.id))
        .where(and(isNotNull(accounts.deletedAt), or(isOpen, hasUpload)))
        .orderBy(asc(accounts.deletedAt))
        .limit(limit);
      return rows.map(({ id }) => id);
    },

    async uploadsLeft(accountId: string, limit: number): Promise<string[]> {
      const rows = await orm
        .select({ id: uploads.id })
        .from(uploads)
        .where(and(eq(uploads.accountId, accountId), inArray(uploads.status, KEPT)))
        .orderBy(asc(uploads.id))
        .limit(limit);
      return rows.map(({ id }) => id);
    },

    /**
     * Completes the receipt once no upload is left, and removes the names from the tombstones. A repeated call
     * returns the same counts.
     */
    async finish(accountId: string, finishedAt: string): Promise<AccountReceipt> {
      return orm.transaction(async (tx) => {
        const [row] = await tx
          .select()
          .from(accountReceipts)
          .where(eq(accountReceipts.accountId, accountId))
          .for('update');
        const { receipt } = row!;
        const gone = and(eq(uploads.accountId, accountId), gte(uploads.deletedAt, receipt.orderedAt));
        const hadBytes = or(sql`${uploads.errorCode} is null`, notInArray(uploads.errorCode, WITHOUT_BYTES));
        const [originals] = await tx
          .select({
            count: count(),
            bytes: sumBytes(sql`case when ${hadBytes} then (${uploads.file} ->> 'size')::bigint end`),
          })
          .from(uploads)
          .where(gone);
        const [results] = await tx
          .select({ count: count(), bytes: sumBytes(sql`(${enhancements.result} ->> 'size')::bigint`) })
          .from(enhancements)
          .innerJoin(uploads, eq(uploads.id, enhancements.uploadId))
          .where(and(gone, isNotNull(enhancements.result)));
        const complete: AccountReceipt = {
          ...receipt,
          finishedAt,
          uploads: originals!.count,
          results: results!.count,
          bytes: originals!.bytes + results!.bytes,
        };
        await tx.update(accountReceipts).set({ receipt: complete }).where(eq(accountReceipts.accountId, accountId));
        const labels = { reference: null, customMetadata: null };
        await tx
          .update(uploads)
          .set({ originalFilename: NO_NAME, ...labels })
          .where(eq(uploads.accountId, accountId));
        await tx.delete(presets).where(eq(presets.accountId, accountId));
        await tx.delete(looks).where(eq(looks.accountId, accountId));
        await tx
          .update(enhancements)
          .set({ ...labels, preset: null })
          .where(eq(enhancements.accountId, accountId));
        const ofAccount = tx.select({ id: batches.id }).from(batches).where(eq(batches.accountId, accountId));
        await tx.delete(batchItems).where(inArray(batchItems.batchId, ofAccount));
        await tx.delete(batches).where(eq(batches.accountId, accountId));
        await tx.delete(resumableUploads).where(eq(resumableUploads.accountId, accountId));
        await tx.delete(enhancementLabels).where(eq(enhancementLabels.accountId, accountId));
        await tx
          .update(webhookEvents)
          .set({ data: sql`${webhookEvents.data} - 'reference' - 'customMetadata'`, publicData: null })
          .where(eq(webhookEvents.accountId, accountId));
        return complete;
      });
    },
  };
}

const count = (): SQL<number> => sql<number>`count(*)::integer`;
const sumBytes = (size: SQL): SQL<number> => sql<number>`coalesce(sum(${size}), 0)::float8`;
