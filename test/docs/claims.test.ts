import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { CLAIMS } from '../../src/domain/claims.ts';

type Name = keyof typeof CLAIMS;
const SCHEMA = 'src/database/schema';

/** Tables whose rows bound other work, or hold something for it. */
const CLAIM_TABLES: Record<string, Name> = {
  deliveries: 'begun webhook delivery',
  remote_slots: 'slot at the hosted service',
  batch_items: 'running batch item',
  batches: 'running batch item',
  uploads: 'open upload or enhancement',
  enhancements: 'open upload or enhancement',
  account_storage: 'open upload or enhancement',
  credit_entries: 'open upload or enhancement',
  credit_totals: 'open upload or enhancement',
  upload_starts: 'refused start',
  remote_retentions: 'retention at the hosted service',
  leases: 'job of one gateway',
  idempotency_keys: 'idempotency key',
};

/** Tables that nothing waits for. */
const RECORD_TABLES = [
  ...['account_receipts', 'accounts', 'api_keys', 'audit_entries', 'buckets', 'changes', 'delivery_attempts'],
  ...[
    'destination_urls',
    'enhancement_labels',
    'instance_secrets',
    'nexus_endpoints',
    'operator_sessions',
    'payload_keys',
  ],
  ...[
    'looks',
    'plans',
    'presets',
    'remote_events',
    'remote_ids',
    'remote_settings',
    'resumable_uploads',
    'sessions',
    'sign_in_links',
  ],
  ...['staged_files', 'storage_markers', 'upload_parts', 'upload_passwords', 'webhook_endpoints', 'webhook_events'],
];

/** Functions that give out claims, by their names. */
const GIVERS: Record<string, Name> = {
  createHostedSlots: 'slot at the hosted service',
  createHostedRetention: 'retention at the hosted service',
  createLeases: 'job of one gateway',
  lockFolder: 'data folder',
  lockDataFolder: 'data folder',
  claimServer: 'data folder',
  acquirePagesLock: 'pages of an upload',
  claimKey: 'idempotency key',
  claimIdempotencyKey: 'idempotency key',
  createFairLimiter: 'permit in a process',
  createPermits: 'permit in a process',
  createSharedPermits: 'permit in a process',
  createAttemptPermits: 'permit in a process',
  createAdmission: 'permit in a process',
  createBoundedWork: 'permit in a process',
  createPreferredWaits: 'permit in a process',
  createWakePace: 'permit in a process',
  createMemoryBudget: 'permit in a process',
  oneAtATime: 'permit in a process',
  withStartPermit: 'permit in a process',
  withRetention: 'retention at the hosted service',
  lockAccount: 'lock in the database',
};
const GIVES =
  /Limiter$|Permits?$|Slots$|Leases$|Lock$|Retention$|Admission$|BoundedWork$|Waits$|Pace$|Budget$|AtATime$|Semaphore|Mutex|^(lock|claim)[A-Z]/;
const RETURNS = /^(return|release|end)/;

test('the page of the operator has each claim, with its end and its time', () => {
  const page = readFileSync('docs/faults.md', 'utf8');
  const rows = page.slice(page.indexOf('## Claims')).split('\n\n')[2]!.split('\n').slice(2);
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const told = cells.map(([, name, owner, endedBy, seconds]) => [name, owner !== '', endedBy, Number(seconds)]);
  const expected = Object.entries(CLAIMS).map(([name, { endedBy, afterS }]) => [name, true, endedBy, afterS]);
  expect(told.sort()).toEqual(expected.sort());
});

test('each table of the database is a claim with an owner, or nothing waits for it', async () => {
  const names = new Set<string>();
  for (const file of readdirSync(SCHEMA)) {
    const schema = (await import(join('../..', SCHEMA, file))) as Record<string, unknown>;
    for (const each of Object.values(schema)) if (is(each, PgTable)) names.add(getTableName(each));
  }
  expect([...names].sort()).toEqual([...Object.keys(CLAIM_TABLES), ...RECORD_TABLES].sort());
});

test('each function that limits, locks or lends gives out a claim with an owner', () => {
  const found = new Set<string>();
  for (const folder of ['src', 'packages/jail/src'])
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts')) continue;
      const source = readFileSync(join(folder, path), 'utf8');
      for (const [, name] of source.matchAll(/^export (?:async )?function (\w+)/gm))
        if (GIVES.test(name!) && !RETURNS.test(name!)) found.add(name!);
    }
  expect([...found].sort()).toEqual(Object.keys(GIVERS).sort());
  const named = new Set<string>([...Object.values(CLAIM_TABLES), ...Object.values(GIVERS)]);
  expect([...named].sort()).toEqual(Object.keys(CLAIMS).sort());
});
