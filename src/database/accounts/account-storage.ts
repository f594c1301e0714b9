import { eq, inArray } from 'drizzle-orm';
import { storageLimit } from '../../domain/accounts/account-limits.ts';
import type { Database } from '../database.ts';
import { accountStorage } from '../schema/account-storage.ts';
import { uploads } from '../schema/uploads.ts';

export type AccountStorage = ReturnType<typeof createAccountStorage>;

/** The stored bytes of accounts, which triggers count (`schema/account-storage.ts`). */
export function createAccountStorage({ orm }: Pick<Database, 'orm'>) {
  return {
    /** Stored bytes by account; an account that never stored any is absent. */
    async bytes(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const rows = await orm
        .select()
        .from(accountStorage)
        .where(inArray(accountStorage.accountId, [...accountIds]));
      return new Map(rows.map((row) => [row.accountId, row.bytes]));
    },

    /**
     * Grants an upload the bytes of a file whose size was unknown at its start. The record of the file, or the end of the
     * upload, replaces them. A repetition changes nothing.
     * @throws Failure STORAGE_LIMIT beyond the bound of the account, without any change
     */
    async expect(uploadId: string, bytes: number): Promise<void> {
      await withinStorage(orm.update(uploads).set({ expectedBytes: bytes }).where(eq(uploads.id, uploadId)));
    },
  };
}

/**
 * Runs a statement that grants bytes to an upload. Of concurrent ones, only those succeed that fit together.
 * @throws Failure STORAGE_LIMIT beyond the bound of the account; any other error of the statement
 */
export async function withinStorage<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    const { constraint, detail } = ((error as { cause?: unknown }).cause ?? error) as Record<string, unknown>;
    if (constraint !== 'account_storage_bound') throw error;
    const [stored, bound] = String(detail).split(' ').map(Number);
    throw storageLimit(stored!, bound!);
  }
}
