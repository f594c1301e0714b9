import { Client } from 'pg';

/** Milliseconds between two renewals. A gateway holds a lease that is free for 25 seconds. */
const RENEWAL_MS = 5_000;
const RENEW = `insert into leases (name, holder, expires_at) values ('reconcile', 'bench', now() + interval '20 seconds')
  on conflict (name) do update set (holder, expires_at) = row(excluded.holder, excluded.expires_at)`;

/**
 * Keeps the instances of a database from comparing records with workflows, as a gateway does that has this duty: records without
 * workflows would get new ones.
 * @returns what ends it
 */
export async function holdSweep(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(RENEW);
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = client.query(RENEW);
  }, RENEWAL_MS);
  return async () => {
    clearInterval(timer);
    await renewal;
    await client.end();
  };
}
