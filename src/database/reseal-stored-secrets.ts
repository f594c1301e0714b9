import { and, eq, isNotNull, notLike } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { StartupError } from '../domain/startup-error.ts';
import { MissingKeyError, type Vault } from '../secrets/key-ring.ts';
import { bucketSecretAad } from './accounts/buckets.ts';
import { webhookSecretAad } from './accounts/accounts.ts';
import { resealItemUrls } from './batches/item-urls.ts';
import type { Database } from './database.ts';
import { createInstanceSecrets, instanceSecretAad } from './instance-secrets.ts';
import { accounts } from './schema/accounts.ts';
import { buckets } from './schema/buckets.ts';
import { destinationUrls } from './schema/destination-urls.ts';
import { instanceSecrets } from './schema/instance.ts';
import { webhookEndpoints } from './schema/webhooks.ts';
import { uploadPasswords } from './schema/upload-passwords.ts';
import { destinationUrlAad } from './uploads/destination-urls.ts';
import { uploadPasswordAad } from './uploads/upload-passwords.ts';
import { secretAad } from './webhooks/webhook-endpoints.ts';

/** Every column with a secret, except for the URLs of batches, which have no id of one column. */
const COLUMNS: readonly {
  table: PgTable;
  id: PgColumn;
  column: PgColumn;
  /** Name of the column in the schema */
  field: string;
  aad: (id: string) => string;
}[] = [
  {
    table: instanceSecrets,
    id: instanceSecrets.name,
    column: instanceSecrets.secret,
    field: 'secret',
    aad: instanceSecretAad,
  },
  {
    table: accounts,
    id: accounts.id,
    column: accounts.webhookSecret,
    field: 'webhookSecret',
    aad: webhookSecretAad,
  },
  {
    table: webhookEndpoints,
    id: webhookEndpoints.id,
    column: webhookEndpoints.secret,
    field: 'secret',
    aad: (id) => secretAad(id, 'secret'),
  },
  {
    table: webhookEndpoints,
    id: webhookEndpoints.id,
    column: webhookEndpoints.previousSecret,
    field: 'previousSecret',
    aad: (id) => secretAad(id, 'previous_secret'),
  },
  {
    table: uploadPasswords,
    id: uploadPasswords.uploadId,
    column: uploadPasswords.secret,
    field: 'secret',
    aad: uploadPasswordAad,
  },
  {
    table: destinationUrls,
    id: destinationUrls.enhancementId,
    column: destinationUrls.secret,
    field: 'secret',
    aad: destinationUrlAad,
  },
  { table: buckets, id: buckets.id, column: buckets.secret, field: 'secret', aad: bucketSecretAad },
];

const BATCH = 500;

/**
 * Encrypts stored secrets of a previous key again, with the current one. Several processes may run it at once.
 * @throws StartupError when this process lacks the key of a secret
 */
export async function resealStoredSecrets({ orm }: Pick<Database, 'orm'>, vault: Vault): Promise<void> {
  try {
    // Needs the key of this instance first. With a wrong one, a process would write secrets that the others cannot read.
    await createInstanceSecrets({ orm }, vault).get('encryption-key');
    for (const column of COLUMNS) await resealColumn({ orm }, vault, column);
    await resealItemUrls({ orm }, vault);
  } catch (error) {
    if (!(error instanceof MissingKeyError)) throw error;
    throw new StartupError(
      `Secrets of this instance are encrypted with the key ${error.keyId}, which this process does not have. Add this key to ` +
        'BURNISH_ENCRYPTION_KEY: it is in the settings of the other processes, in the file encryption.key of their data folder, or in your backup.',
      { cause: error },
    );
  }
}

async function resealColumn(
  { orm }: Pick<Database, 'orm'>,
  vault: Vault,
  { table, id, column, field, aad }: (typeof COLUMNS)[number],
): Promise<void> {
  for (;;) {
    const rows = await orm
      .select({ id, value: column })
      .from(table)
      .where(and(isNotNull(column), notLike(column, `${vault.prefix}%`)))
      .limit(BATCH);
    for (const row of rows as { id: string; value: string }[]) {
      const value = vault.seal(vault.open(row.value, aad(row.id)), aad(row.id));
      // Updates the row only if it has not changed meanwhile.
      await orm
        .update(table)
        .set({ [field]: value })
        .where(and(eq(id, row.id), eq(column, row.value)));
    }
    if (rows.length < BATCH) return;
  }
}
