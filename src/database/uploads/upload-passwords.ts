import { and, eq, exists, lt, not, or, sql } from 'drizzle-orm';
import { Failure } from '@burnish/contract';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { uploads } from '../schema/uploads.ts';

export const uploadPasswordAad = (uploadId: string): string => `upload_passwords/${uploadId}/secret`;

/** Age in milliseconds after which an unneeded password counts as a leftover. */
const LEFTOVER_MS = 3_600_000;

export type UploadPasswords = ReturnType<typeof createUploadPasswords>;

/**
 * Encrypted passwords of PDFs, by the id of their upload. Workflows and their histories contain only that id. A
 * password is deleted with its upload, and as soon as the PDF does not need it or does not open with it.
 */
export function createUploadPasswords({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();

  /** The row of a password, for a statement that also writes the records of its upload. */
  const toRow = (uploadId: string, password: string): typeof uploadPasswords.$inferInsert => ({
    uploadId,
    secret: vault.seal(password, uploadPasswordAad(uploadId)),
    createdAt: iso(now()),
  });

  async function get(uploadId: string): Promise<string | undefined> {
    const [row] = await orm.select().from(uploadPasswords).where(eq(uploadPasswords.uploadId, uploadId));
    return row && vault.open(row.secret, uploadPasswordAad(uploadId));
  }

  return {
    toRow: toRow,

    async put(uploadId: string, password: string): Promise<void> {
      const row = toRow(uploadId, password);
      await orm
        .insert(uploadPasswords)
        .values(row)
        .onConflictDoUpdate({
          target: uploadPasswords.uploadId,
          set: { secret: row.secret, createdAt: row.createdAt },
        });
    },

    /**
     * Processes the PDF of an upload: first without a password, then with the stored one if the PDF needs it.
     * @throws Failure ENCRYPTED_PDF without a stored password, WRONG_PASSWORD for one that does not open the PDF
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

    /**
     * Deletes unneeded passwords: of images, and of uploads without a record, failed or deleted. @returns their
     * number
     */
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
