import { Client } from 'pg';

/** A copied upload is older than the one before it by this time: 200,000 of them reach back 23 days. */
const earlier = (column: string): string => `${column} - number * interval '10 seconds'`;
/** Ids of copies follow no order, like those of uploads. */
const copied = (id: string): string => `left(${id}, 4) || left(md5(${id} || number), length(${id}) - 4)`;
const copiedInData = (key: string): string => `jsonb_set(data, '{${key}}', to_jsonb(${copied(`(data ->> '${key}')`)}))`;

/** The tables of a finished upload. Columns that are not named keep their values, and those with null get their defaults. */
const TABLES: Record<string, Record<string, string | null>> = {
  uploads: { id: copied('id'), created_at: earlier('created_at'), finished_at: earlier('finished_at') },
  enhancements: {
    id: copied('id'),
    upload_id: copied('upload_id'),
    created_at: earlier('created_at'),
    finished_at: earlier('finished_at'),
    source_sha256: 'md5(source_sha256 || number) || md5(number || source_sha256)',
  },
  changes: { upload_id: copied('upload_id'), subject_id: copied('subject_id'), at: earlier('at') },
  webhook_events: {
    id: copied('id'),
    data: `case when data ? 'uploadId' then ${copiedInData('uploadId')} else ${copiedInData('id')} end`,
    created: earlier('created'),
    recorded: null,
    position: null,
  },
  credit_entries: { seq: null, enhancement_id: copied('enhancement_id'), at: earlier('at') },
};

/**
 * Copies the records of the only upload of a stopped instance, with its enhancement, changes, events and ledger entries.
 * @param url of the database; its role may turn triggers off
 * @param count number of copies
 */
export async function copyUpload(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Triggers would lock each ledger entry until the end, so the sums follow.
    await client.query('set session_replication_role = replica');
    for (const [table, changed] of Object.entries(TABLES)) {
      const { rows } = await client.query<{ name: string }>(
        'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
        [table],
      );
      const names = rows.map(({ name }) => name).filter((name) => changed[name] !== null);
      const into = names.map((name) => `"${name}"`).join(', ');
      const values = names.map((name) => changed[name] ?? `"${name}"`).join(', ');
      // A grant of credits belongs to no enhancement.
      const where = table === 'credit_entries' ? 'where enhancement_id is not null' : '';
      await client.query(
        `insert into ${table} (${into}) select ${values} from ${table}, generate_series(1, ${count}) as number ${where}`,
      );
    }
    await client.query(`update credit_totals set used = used * ${count + 1}`);
    await client.query(`update account_storage set bytes = bytes * ${count + 1}`);
    // As a database that has run for days.
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
