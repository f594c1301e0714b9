import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureInitialAccount } from '../src/database/accounts/initial-account.ts';
import { createCreditLedger } from '../src/database/credits/credit-ledger.ts';
import { createEnhancements } from '../src/database/uploads/enhancements.ts';
import { openDatabase } from '../src/database/open.ts';
import { createUploads } from '../src/database/uploads/uploads.ts';
import { newId } from '../src/domain/ids.ts';
import { aFinished, anEnhancement, anUpload } from '../test/database/records.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { testVault } from '../test/support/test-vault.ts';

/**
 * Measures the cost of the embedded database for the thread that serves HTTP: the writes of 300 lifecycles, 20 at a time, with
 * two concurrent readers. `npm run bench:database`; about half a minute. With `DATABASE_URL`, it uses that empty PostgreSQL
 * instead.
 */
const LIFECYCLES = 300;
const AT_ONCE = 20;
const READERS = 2;
const READ_PAUSE_MS = 5;
const ROUNDS = 3;

await using folder = await temporaryFolder();
const url = process.env['DATABASE_URL'];
const database = await openDatabase({ dataDir: folder.path, ...(url === undefined ? {} : { url }) });
const { account } = await ensureInitialAccount(database, testVault, {
  plan: 'BUSINESS',
  creditsPerPeriod: 1_000_000_000,
});
const uploads = createUploads(database);
const enhancements = createEnhancements(database);
const ledger = createCreditLedger(database);

/** Nine writes: six projections and three ledger entries, two of them in interactive transactions. */
async function lifecycle(): Promise<void> {
  const upload = anUpload(account.id, { id: newId('upl', Date.now()), status: 'UPLOAD_PROCESSING' });
  await uploads.project(upload);
  await uploads.project({ ...upload, revision: 2, status: 'UPLOAD_FINISHED' });
  const enhancement = anEnhancement(upload, { id: newId('enh', Date.now()) });
  const movement = { accountId: account.id, enhancementId: enhancement.id, nowMs: Date.now() };
  await enhancements.project(enhancement);
  await ledger.reserve({ ...movement, credits: 2 });
  await enhancements.project({ ...enhancement, revision: 2, status: 'PROCESSING' });
  await ledger.capture({ ...movement, credits: 1 });
  await enhancements.project({ ...aFinished(upload), id: enhancement.id, revision: 3 });
  await uploads.project({ ...upload, revision: 3, status: 'UPLOAD_FINISHED' });
}

async function round(): Promise<string> {
  const known = anUpload(account.id, { id: newId('upl', Date.now()) });
  await uploads.project(known);
  await enhancements.project(anEnhancement(known, { id: newId('enh', Date.now()) }));
  let left = LIFECYCLES;
  const reads: number[] = [];
  const reader = async (): Promise<void> => {
    while (left > 0) {
      const startedAt = performance.now();
      const upload = await uploads.get(account.id, known.id);
      if (upload === undefined) throw new Error('The upload that was written is not there.');
      await enhancements.listForUpload(account.id, known.id);
      reads.push(performance.now() - startedAt);
      await pause(READ_PAUSE_MS);
    }
  };
  const writer = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await lifecycle();
    }
  };
  const delays: number[] = [];
  let turnedAt = performance.now();
  const turn = (): void => {
    delays.push(performance.now() - turnedAt - 1);
    turnedAt = performance.now();
  };
  const timer = setInterval(turn, 1);
  const [loop, cpu, startedAt] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
  const readers = Array.from({ length: READERS }, reader);
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(readers);
  const { active } = performance.eventLoopUtilization(loop);
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(timer);
  turn();
  const delay = (share: number): string => atShare(delays, share).toFixed(1);
  return [
    `${(LIFECYCLES / seconds).toFixed(0)} lifecycles/s`,
    `main thread busy ${(active / LIFECYCLES).toFixed(2)} ms and process ${((user + system) / 1000 / LIFECYCLES).toFixed(2)} ms CPU each`,
    `loop delay p50 ${delay(0.5)}, p99 ${delay(0.99)}, most ${delay(1)} ms`,
    `${(reads.length / seconds).toFixed(0)} reads/s at a median of ${atShare(reads, 0.5).toFixed(1)} ms`,
  ].join('; ');
}

function atShare(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

try {
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${process.version}, ${database.kind}`,
  );
  await round();
  for (let i = 1; i <= ROUNDS; i += 1) console.log(`${i}: ${await round()}`);
} finally {
  await database.close();
}
