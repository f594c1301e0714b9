import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { openDatabase } from '../../src/database/open.ts';

/** Folder of the archives and of their facts, `<version>.brotli` and `<version>.json`. */
export const KEPT_FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Outside of the ports that systems give out, since deliveries of a kept instance name it. */
export const RECEIVER_PORT = 21_907;

/** Keys of the kept instances, which hold no data but that of the recording. */
export const KEYS = {
  BURNISH_BOOTSTRAP_API_KEY: 'bk_key-of-kept-test-data',
  BURNISH_OPERATOR_KEY: 'operator-key-of-kept-test-data',
} as const;

/** Settings of a kept instance, besides its folder and ports. */
export const SETTINGS = {
  ...KEYS,
  BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${RECEIVER_PORT}`,
  BURNISH_CREDITS_PER_PERIOD: '100000',
  BURNISH_PLAN: 'BUSINESS',
  BURNISH_LOG_LEVEL: 'error',
} as const;

/** One line of the ledger. */
export interface LedgerEntry {
  account: string;
  period: string;
  kind: string;
  credits: number;
  /** Null for a grant or a top-up */
  enhancement: string | null;
}

/** What a kept instance has, for the test that starts a later build on it. */
export interface KeptFacts {
  /** ISO 8601 */
  recordedAt: string;
  testKey: string;
  poor: { accountId: string; apiKey: string };
  /** Ids of uploads; each has at most one enhancement */
  uploads: {
    finished: string;
    awaitingApproval: string;
    awaitingCredits: string;
    awaitingDelivery: string;
    ofTestAccount: string;
  };
  /** Hex SHA-256 of the result of `finished` */
  resultHash: string;
  /** A batch that waits for its approval */
  batchId: string;
  ledger: LedgerEntry[];
}

/** Reads the ledger of an embedded database that no process uses, oldest entry first. */
export async function readLedger(dataDir: string): Promise<LedgerEntry[]> {
  const { orm, close } = await openDatabase({ dataDir });
  try {
    const { rows } = await orm.execute(sql`select account_id as account, period, kind, credits::float8 as credits,
      enhancement_id as enhancement from credit_entries order by seq`);
    return rows as unknown as LedgerEntry[];
  } finally {
    await close();
  }
}

/** Removes the write-ahead log that a stopped embedded database has no use for, a third of its archive. */
export async function dropOldLog(dataDir: string): Promise<void> {
  const { orm, close } = await openDatabase({ dataDir });
  try {
    for (const statement of ['set wal_recycle = off', 'checkpoint', 'select pg_switch_wal()', 'checkpoint'])
      await orm.execute(sql.raw(statement));
  } finally {
    await close();
  }
}
