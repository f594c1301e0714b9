import { Client } from 'pg';
import { expect, test } from '@jest/globals';
import { RETENTION_DAYS, newId } from '@burnish/contract';
import { insertApiKey } from '../../src/database/accounts/api-keys.ts';
import { openDatabase } from '../../src/database/open.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { newWebhookSecret } from '../../src/database/webhooks/webhook-secret.ts';
import { startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Api, createApi } from '../e2e/api.ts';
import { photo, picture } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import { until } from '../support/until.ts';

const UPLOADS = 25;
const ENHANCEMENTS_EACH = 20;
const JOBS = UPLOADS * ENHANCEMENTS_EACH;
/** Maximum number of other engine tasks, per parallel task, that may finish before the file of the small account. */
const TURNS = 3;

/** Each order takes seconds on one core, and all orders differ. */
const slowOrders = Array.from({ length: ENHANCEMENTS_EACH }, (_, index) => ({
  upscalingFactor: 'X2',
  noiseReductionProfilingMode: 'AUTO',
  noiseReductionProfilingStrength: 0.04 * (index + 1),
}));

/** Creates a second account in the same way as the first one. */
async function secondAccount(databaseUrl: string, dataDir: string): Promise<string> {
  const { orm, close } = await openDatabase({ url: databaseUrl, dataDir });
  try {
    const nowMs = Date.now();
    const account = {
      id: newId('acc', nowMs),
      name: 'Second account',
      plan: 'FREE' as const,
      creditsPerPeriod: 1000,
      retentionDays: RETENTION_DAYS.default,
      webhookSecret: newWebhookSecret(),
      createdAt: new Date(nowMs).toISOString(),
    };
    await orm.insert(accounts).values(account);
    const key = 'key-of-the-second-account';
    await insertApiKey(orm, { accountId: account.id, name: 'Only key', key, nowMs });
    return key;
  } finally {
    await close();
  }
}

test('a file of one account is served within three engine tasks while another account has 500 waiting', async () => {
  await using postgres = await startPostgres();
  await using folder = await temporaryFolder();
  await using instance = await startInstance({
    env: { DATABASE_URL: postgres.url, BURNISH_CREDITS_PER_PERIOD: '100000' },
  });
  const { api: large } = instance;
  const small: Api = createApi(instance.url, await secondAccount(postgres.url, folder.path));
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  try {
    const count = async (sql: string, values: unknown[] = []): Promise<number> =>
      Number(
        (await database.query<{ n: string }>(`select count(*) as n from enhancements where ${sql}`, values)).rows[0]!.n,
      );
    const files = await Promise.all(
      Array.from({ length: UPLOADS }, (_, seed) => picture(1000, 750, { seed }).jpeg({ quality: 85 }).toBuffer()),
    );
    for (const file of files) expect((await large.upload(file, { enhancements: slowOrders })).status).toBe(202);
    // At least 90 % of the enhancements have reserved their credits, and wait only for the engine.
    await until(async () => ((await queued(database)) >= JOBS * 0.9 ? true : undefined));
    const before = await count(`finished_at is not null`);
    const { body } = await small.upload(await photo(1), { enhancements: [{}] });
    const [enhanced] = (await small.settled(body.id)).enhancements;
    expect(enhanced).toMatchObject({ status: 'FINISHED' });
    const slots = await count(`status = 'PROCESSING'`);
    const passedBy = (await count(`finished_at is not null and upload_id <> $1`, [body.id])) - before;
    expect(passedBy).toBeLessThanOrEqual(TURNS * Math.max(2, slots));
  } finally {
    await database.end();
  }
}, 300_000);

/** Counts reservations that are neither captured nor released: their engine work is queued or running. */
async function queued(database: Client): Promise<number> {
  const open = `select count(*) as n from (select enhancement_id from credit_entries where enhancement_id is not null
    group by enhancement_id having count(*) = 1) as reserved`;
  return Number((await database.query<{ n: string }>(open)).rows[0]!.n);
}
