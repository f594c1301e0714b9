import { and, eq, exists, lt, not, or, sql } from 'drizzle-orm';
import { Failure } from '../../domain/failures.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { uploads } from '../schema/uploads.ts';

/** Where the vault keeps the password of an upload. */
export const uploadPasswordPlace = (uploadId: string): string => `upload_passwords/${uploadId}/secret`;

/** A password of this age whose upload has no use for it is a leftover, milliseconds. */
const LEFTOVER_MS = 3_600_000;

export type UploadPasswords = ReturnType<typeof createUploadPasswords>;

/**
 * Passwords of PDFs, encrypted, by the id of their upload. Workflows and their histories hold that id alone. A password goes with its
 * upload, and as soon as the PDF turns out not to need it or not to open with it.
 */
export function createUploadPasswords({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();

  /** The row of a password, for a statement that writes the records of its upload too. */
  const rowOf = (uploadId: string, password: string): typeof uploadPasswords.$inferInsert => ({
    uploadId,
    secret: vault.seal(password, uploadPasswordPlace(uploadId)),
    createdAt: iso(now()),
  });

  async function get(uploadId: string): Promise<string | undefined> {
    const [row] = await orm.select().from(uploadPasswords).where(eq(uploadPasswords.uploadId, uploadId));
    return row && vault.open(row.secret, uploadPasswordPlace(uploadId));
  }

  return {
    rowOf,

    /** Takes the place of an earlier password. */
    async put(uploadId: string, password: string): Promise<void> {
      const row = rowOf(uploadId, password);
      await orm
        .insert(uploadPasswords)
        .values(row)
        .onConflictDoUpdate({
          target: uploadPasswords.uploadId,
          set: { secret: row.secret, createdAt: row.createdAt },
        });
    },

    /**
     * Works on the PDF of an upload: without a password first, and with the stored one where the PDF needs it.
     * @throws Failure ENCRYPTED_PDF without a stored password, WRONG_PASSWORD with one that does not fit
     */
    async withPassword<T>(uploadId: string, work: (secret: { password?: string }) => Promise<T>): Promise<T> {
      try {
        return await work({});
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'ENCRYPTED_PDF') throw error;
        const password = await get(uploadId);
        if (password === undefined) throw error;
        return await work({ password });
      }
    },

    async remove(uploadId: string): Promise<void> {
      await orm.delete(uploadPasswords).where(eq(uploadPasswords.uploadId, uploadId));
    },

    /** Removes passwords without a use: of uploads that never came to be, have failed or are deleted, and of images. @returns how many */
    async purge(): Promise<number> {
      const used = orm
        .select({ id: uploads.id })
        .from(uploads)
        .where(
          and(
            eq(uploads.id, uploadPasswords.uploadId),
            not(
              or(
                sql`${uploads.status} in ('UPLOAD_FAILED', 'UPLOAD_DELETED')`,
                sql`coalesce(${uploads.file} ->> 'mimetype', 'application/pdf') <> 'application/pdf'`,
              )!,
            ),
          ),
        );
      const gone = await orm
        .delete(uploadPasswords)
        .where(and(lt(uploadPasswords.createdAt, iso(now() - LEFTOVER_MS)), not(exists(used))))
        .returning({ uploadId: uploadPasswords.uploadId });
      return gone.length;
    },
  };
}
