import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Cluster } from '../../cluster/cluster.ts';
import { startTroubledCluster } from './troubled-cluster.ts';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { askUntilAnswered, type Heard } from './caller.ts';
import { commit, type Component, exists, type Fault } from './faults.ts';
import { judge } from './judge.ts';
import type { Life, Stage } from './lives.ts';
import { replaceTheDead } from './orchestrator.ts';

/**
 * `npm run test:lifecycles -- [--count 500] [--temporal-cluster]` runs many lifecycles while the parts of the cluster fail in
 * turn. Exits with 1 if anything is lost, duplicated, orphaned, or not done within the time limit.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    clients: { type: 'string', default: '10' },
    limit: { type: 'string', default: '180' },
    'temporal-cluster': { type: 'boolean', default: false },
  },
});
const STAGES = ['upload', 'analysis', 'delivery', 'deletion'] as const;
const FAULTS: readonly (readonly [Component, Fault])[] = [
  ['engine worker', 'kill'],
  ['workflow worker', 'kill'],
  ['gateway', 'kill'],
  ['Temporal node', 'kill'],
  ['PostgreSQL', 'kill'],
  ['storage', 'kill'],
  ['network that cuts', 'restart'],
  ['network that holds', 'restart'],
  ['network that refuses', 'restart'],
  ['engine worker', 'restart'],
  ['workflow worker', 'restart'],
];
const PAUSE_BETWEEN_FAULTS_MS = 4_000;
const ROW = 'many';
const count = Number(values.count);
const limitMs = Number(values.limit) * 1000;
const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

await using receiver = await webhookReceiver();
const whole = await startTroubledCluster(receiver.port, values['temporal-cluster'] === true, report);
try {
  const lives: Life[] = [];
  const done = sendAll(whole.cluster, lives);
  let sending = true;
  void done.then(() => (sending = false));
  let faults = 0;
  while (sending) {
    const [component, fault] = FAULTS[faults % FAULTS.length]!;
    faults += 1;
    if (!exists(whole, component, fault)) continue;
    report(`${component}, ${fault}; ${lives.length} begun`);
    await commit(whole, component, fault, { stop: 3, longStop: 3 });
    const orchestrator = replaceTheDead(whole);
    await delay(PAUSE_BETWEEN_FAULTS_MS);
    await orchestrator.stop();
    for (const name of orchestrator.died) report(`  died of itself, and was replaced: ${name}`);
  }
  await done;
  report(`All ${lives.length} are sent, ${faults} faults.`);
  const cells = await judge({ whole, receiver, stages: STAGES, row: ROW }, lives, performance.now(), limitMs);
  const sum = (of: 'lost' | 'doubled' | 'orphaned' | 'toldWrongly'): number =>
    STAGES.reduce((total, stage) => total + cells[stage][of], 0);
  for (const note of STAGES.flatMap((stage) => cells[stage].notes)) report(`  ${note}`);
  const stuck = STAGES.filter((stage) => cells[stage].stalledSeconds === undefined);
  console.log(
    `${lives.length} lifecycles, ${faults} faults: ${sum('lost')} lost, ${sum('doubled')} duplicated, ${sum('orphaned')} orphaned, ` +
      `${sum('toldWrongly')} misreported; ${stuck.length === 0 ? 'all' : `not all of ${stuck.join(', ')}`} done within ${values.limit} s of the last fault`,
  );
  if (sum('lost') + sum('doubled') + sum('orphaned') > 0 || stuck.length > 0) process.exitCode = 1;
} finally {
  await whole.cluster[Symbol.asyncDispose]();
}

/** Runs parallel clients with sequential lifecycles. PDFs, webhooks and deletions make up a tenth each. */
async function sendAll(cluster: Cluster, lives: Life[]): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: Number(values.clients) }, async () => {
      for (const number of numbers) {
        const stage = stageOf(number);
        const name = `${ROW}-${stage}-${number}`;
        const life = { stage, name, heard: oneLife(cluster, stage, name, number) };
        lives.push(life);
        await life.heard;
      }
    }),
  );
}

function stageOf(number: number): Stage {
  const tenth = number % 10;
  return tenth === 7 ? 'analysis' : tenth === 8 ? 'delivery' : tenth === 9 ? 'deletion' : 'upload';
}

async function oneLife(cluster: Cluster, stage: Stage, name: string, seed: number): Promise<Heard> {
  const deadline = performance.now() + limitMs;
  const file = stage === 'analysis' ? await pdfWithPhoto(480, 360, seed) : await photo(10_000 + seed);
  const order = stage === 'analysis' ? '' : `enhancements=${encodeURIComponent('[{}]')}`;
  const webhook = stage === 'delivery' ? `&webhookUrl=${encodeURIComponent(`${receiver.url}/many`)}` : '';
  const { apiKey, url } = cluster;
  const upload = { url: `${url}/v1/uploads?${order}${webhook}`, apiKey, method: 'POST' as const };
  const heard = await askUntilAnswered({ ...upload, file, filename: name }, deadline);
  if (stage !== 'deletion' || heard.body?.id === undefined) return heard;
  const path = `${url}/v1/uploads/${heard.body.id}`;
  const deleted = await askUntilAnswered({ url: path, apiKey, method: 'DELETE' }, deadline);
  return { ...deleted, wrong: [...heard.wrong, ...deleted.wrong] };
}
