import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { UploadRecord } from '../../e2e/api.ts';
import { type Ask, askUntilAnswered } from '../matrix/caller.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { until } from '../../support/until.ts';
import { BENCH_SETTINGS, distinct, inParallel, untilFinished } from '../../../bench/lifecycle/jobs.ts';
import { smallPhotograph } from '../../../bench/photographs.ts';
import { DAYS_LATER, growth, leftovers, soakTable } from './judge.ts';
import { rowsAfter, type Sample, takeSample } from './sample.ts';

/**
 * `npm run test:soak -- [--files 10000] [--every 500] [--clients 20]`: sends small photographs with an enhancement each to the
 * embedded stack, then deletes all uploads. Prints a table. Exits with 1 if memory or
 * descriptors grow after the first 2,000 files, or if a deleted upload leaves more than its tombstone.
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    every: { type: 'string', default: '500' },
    clients: { type: 'string', default: '20' },
  },
});
/** Longer than any pause of a busy machine. */
const ANSWER_WITHIN_MS = 120_000;
const [files, every, clients] = [Number(values.files), Number(values.every), Number(values.clients)];
const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const small = await smallPhotograph();
const folder = await mkdtemp(join(tmpdir(), 'burnish-soak-'));
const dataDir = join(folder, 'data');
const samples: Sample[] = [];
let later: Record<string, number> = {};
try {
  const instance = await startInstance({ dataDir, env: BENCH_SETTINGS });
  try {
    await sample(instance, 0);
    for (let sent = 0; sent < files;) {
      const count = Math.min(every, files - sent);
      const { seconds } = await inParallel(distinct(small, count), clients, (file) => enhance(instance, file));
      sent += count;
      await sample(instance, sent, undefined, `${(count / seconds).toFixed(1)} files a second`);
    }
    const uploads = await listUploads(instance);
    await inParallel(uploads, clients, (id) => deleteUpload(instance, id));
    await sample(instance, uploads.length, `${uploads.length.toLocaleString('en')} deleted`);
  } finally {
    await instance.stop();
  }
  later = await rowsAfter(DAYS_LATER, dataDir);
} finally {
  await rm(folder, { recursive: true, force: true });
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}\n`);
  // Prints the samples even after a failure.
  console.log(soakTable(samples, later));
}
const faults = [...growth(samples), ...leftovers(samples, later)];
for (const fault of faults) said(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

async function sample(instance: Instance, sent: number, when?: string, pace = ''): Promise<void> {
  const taken = await takeSample(instance, dataDir, sent, when);
  samples.push(taken);
  said(`${new Date().toISOString()} load ${loadavg()[0]!.toFixed(1)} ${pace} ${JSON.stringify(taken)}`);
}

async function listUploads({ api }: Instance): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ''; ;) {
    const { body } = await api.get<{ items: { id: string }[]; next: string | null }>(`/v1/uploads?limit=100${after}`);
    ids.push(...body.items.map(({ id }) => id));
    if (body.next === null) return ids;
    after = `&after=${body.next}`;
  }
}

/** Sends a file as the documentation says: a refusal for load is repeated. Waits until its enhancement has finished. */
async function enhance({ url, apiKey, api }: Instance, file: Uint8Array): Promise<void> {
  const order = new URLSearchParams({ enhancements: '[{}]' });
  const asked = {
    url: `${url}/v1/uploads?${order.toString()}`,
    apiKey,
    method: 'POST' as const,
    file,
    filename: 'soak',
  };
  const { body } = await answered(asked);
  try {
    await untilFinished({ url, apiKey }, body);
  } catch {
    // Load ended the stream of events.
    const { status } = await api.reached(body.enhancements[0]!.id, 'FINISHED', 'ERROR', 'CANCELLED');
    if (status !== 'FINISHED') throw new Error(`An enhancement ended as ${status}.`);
  }
}

async function deleteUpload({ url, apiKey, api }: Instance, id: string): Promise<void> {
  const path = `/v1/uploads/${id}`;
  await answered({ url: `${url}${path}`, apiKey, method: 'DELETE' });
  await until(
    async () => (await api.get<UploadRecord>(path)).body.status,
    (state) => state === 'UPLOAD_DELETED',
    { pauseMs: 200 },
  );
}

async function answered(asked: Ask): Promise<{ body: UploadRecord }> {
  const { status, body, wrong } = await askUntilAnswered(asked, performance.now() + ANSWER_WITHIN_MS);
  if (status !== 202 || wrong.length > 0) throw new Error(`${asked.method} was answered with ${status}, ${wrong[0]}`);
  return { body: body! };
}
