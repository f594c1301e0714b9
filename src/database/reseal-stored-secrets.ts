import { and, gt, isNotNull, notLike, sql } from 'drizzle-orm';
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
import { resumableUploads } from './schema/upload-parts.ts';
import { uploadStarts } from './schema/upload-starts.ts';
import { uploads } from './schema/uploads.ts';
import { deliveries, webhookEndpoints } from './schema/webhooks.ts';
import { addressAad } from './secret-addresses.ts';
import { uploadPasswords } from './schema/upload-passwords.ts';
import { destinationUrlAad } from './uploads/destination-urls.ts';
import { resumableAad } from './uploads/upload-parts.ts';
import { uploadPasswordAad } from './uploads/upload-passwords.ts';
import { startAad } from './uploads/upload-starts.ts';
import { secretAad } from './webhooks/webhook-endpoints.ts';

interface Sealed {
  table: PgTable;
  id: PgColumn;
  column: PgColumn;
  /** Associated data of a row: by its id, or for an address by its account */
  aad: (id: string) => string;
  ofAccount?: PgColumn;
  /** Column of the host of an address */
  host?: PgColumn;
  /** 1.0.0-rc.2 stored it without encryption */
  wasPlain?: true;
}

const address = (table: typeof uploads | typeof webhookEndpoints | typeof deliveries, column: PgColumn): Sealed => ({
  ...{ table, id: table.id, column, aad: addressAad, ofAccount: table.accountId, wasPlain: true },
  ...('host' in table && { host: table.host }),
});

/** Every column with a secret, except for the URLs of batches, which have no id of one column. */
const COLUMNS: readonly Sealed[] = [
  address(uploads, uploads.webhookUrl),
  address(webhookEndpoints, webhookEndpoints.url),
  address(deliveries, deliveries.url),
  { table: uploadStarts, id: uploadStarts.uploadId, column: uploadStarts.input, aad: startAad, wasPlain: true },
  {
    ...{ table: resumableUploads, id: resumableUploads.uploadId, column: resumableUploads.metadata },
    ...{ aad: resumableAad, wasPlain: true },
  },
  {
    table: instanceSecrets,
    id: instanceSecrets.name,
    column: instanceSecrets.secret,
    aad: instanceSecretAad,
  },
  {
    table: accounts,
    id: accounts.id,
    column: accounts.webhookSecret,
    aad: webhookSecretAad,
  },
  {
    table: webhookEndpoints,
    id: webhookEndpoints.id,
    column: webhookEndpoints.secret,
    aad: (id) => secretAad(id, 'secret'),
  },
  {
    table: webhookEndpoints,
    id: webhookEndpoints.id,
    column: webhookEndpoints.previousSecret,
    aad: (id) => secretAad(id, 'previous_secret'),
  },
  {
    table: uploadPasswords,
    id: uploadPasswords.uploadId,
    column: uploadPasswords.secret,
    aad: uploadPasswordAad,
  },
  {
    table: destinationUrls,
    id: destinationUrls.enhancementId,
    column: destinationUrls.secret,
    aad: destinationUrlAad,
  },
  { table: buckets, id: buckets.id, column: buckets.secret, aad: bucketSecretAad },
];

const BATCH = 500;

/** How each encrypted text begins, whatever its key. */
const SEALED = 'sealed.1.';

interface StoredRow {
  id: string;
  owner: string;
  value: string;
}

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

async function resealColumn({ orm }: Pick<Database, 'orm'>, vault: Vault, sealed: Sealed): Promise<void> {
  const { table, id, column, aad, ofAccount = id, host, wasPlain = false } = sealed;
  const sealedAgain = ({ owner, value }: StoredRow): string => {
    const isPlain = wasPlain && !value.startsWith(SEALED);
    return vault.seal(isPlain ? value : vault.open(value, aad(owner)), aad(owner));
  };
  let last = '';
  for (;;) {
    const rows = (await orm
      .select({ id, owner: ofAccount, value: column })
      .from(table)
      .where(and(gt(id, last), isNotNull(column), notLike(column, `${vault.prefix}%`)))
      .orderBy(id)
      .limit(BATCH)) as StoredRow[];
    if (rows.length === 0) return;
    const changes = rows.map((row) => ({
      ...{ id: row.id, was: row.value, value: sealedAgain(row) },
      host: host && URL.canParse(row.value) ? new URL(row.value).host : null,
    }));
    const hosts = host && sql`, ${sql.identifier(host.name)} = coalesce(change.host, ${host})`;
    // Changes a row only if it has not changed meanwhile.
    await orm.execute(sql`update ${table} set ${sql.identifier(column.name)} = change.value ${hosts}
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change(id text, was text, value text, host text)
      where ${id} = change.id and ${column} = change.was`);
    last = rows.at(-1)!.id;
  }
}
