import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Burnish } from '../../../src/client/burnish.ts';
import type { Batch, BatchItem } from '../../../src/client/types.ts';
import { batchWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { picture } from '../../e2e/files.ts';
import { localServer } from '../../e2e/local-server.ts';
import { commandLine, killAtOnce, processTree } from '../../e2e/processes.ts';
import { freePorts, type Instance, startInstance } from '../../support/instance.ts';
import { until } from '../../support/until.ts';

/** Every 250th input is text instead of a picture, so that it fails. */
const FAULTY_EVERY = 250;
/** Seconds between two looks at the batch. */
const LOOK_SECONDS = 1;

export interface BatchRunOptions {
  items: number;
  samples: number;
  /** Seconds between two kills; 0: none */
  killSeconds: number;
  /** Folder of the instance, which outlives its kills */
  dataDir: string;
  /** Receives a sentence about each step */
  said: (sentence: string) => void;
}

export interface BatchRun {
  batch: Batch;
  manifest: BatchItem[];
  /** Inputs that are no picture */
  faulty: number;
  /** Credits that left the account */
  usedCredits: number;
  reservedCredits: number;
  /** Number of the account's enhancements; one item names each */
  enhancements: number;
  /** Seconds from the approval to the end */
  seconds: number;
  /** Kills by the part of the instance */
  kills: Record<string, number>;
  /** The longest history of the parent */
  history: { runs: number; events: number; bytes: number };
}

/**
 * Runs a batch of tiny pictures on an instance of its own. Once the batch is approved, it kills one kind of process after the
 * other: a decoder, Temporal, and the whole instance.
 */
export async function runBatch({ items, samples, killSeconds, dataDir, said }: BatchRunOptions): Promise<BatchRun> {
  const ports = await freePorts();
  await using pictures = await servePictures();
  const env = {
    BURNISH_CREDITS_PER_PERIOD: '1000000',
    BURNISH_LOG_LEVEL: 'error',
    BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${pictures.port}`,
  };
  const start = (apiKey?: string): Promise<Instance> =>
    startInstance({ dataDir, ports, env, ...(apiKey && { apiKey }) });
  let instance = await start();
  try {
    const { url: baseUrl, apiKey } = instance;
    // A restart takes longer than the retries of one call.
    const client = new Burnish({ baseUrl, apiKey, maxRetries: 100 });
    const { id } = await client.batches.create({ samples, reference: 'drill' });
    await client.batches.add(
      id,
      Array.from({ length: items }, (_, index) => ({ url: `${pictures.url}/${index}.jpg`, key: `file-${index}` })),
    );
    await client.batches.close(id);
    const waiting = await until(
      () => client.batches.get(id),
      ({ status }) => status === 'APPROVAL_NEEDED',
    );
    said(`Predicted: ${JSON.stringify(waiting.prediction)}.`);
    await client.batches.approve(id);
    const kills = { decoder: 0, Temporal: 0, instance: 0 };
    const parts = Object.keys(kills) as (keyof typeof kills)[];
    for (let round = 0, quietSeconds = 0; ;) {
      await delay(1000 * LOOK_SECONDS);
      quietSeconds += LOOK_SECONDS;
      const { status, counts } = await client.batches.get(id);
      if (status === 'FINISHED') break;
      if (killSeconds === 0 || quietSeconds < killSeconds) continue;
      quietSeconds = 0;
      const part = parts[round++ % parts.length]!;
      said(`${counts.finished} of ${items} have finished. Killing: ${part}.`);
      kills[part] += await kill(instance, part);
      if (part === 'instance') instance = await start(apiKey);
    }
    return { ...(await collect(client, id)), kills, history: await readHistory(instance, id) };
  } finally {
    await instance.killTree();
  }
}

/** @returns whether a process of this kind ran, as a number */
async function kill(instance: Instance, part: string): Promise<number> {
  if (part === 'instance') {
    await instance.killTree();
    return 1;
  }
  const program = part === 'decoder' ? 'sandbox-child' : 'start-dev';
  const found = processTree(instance.pid).filter((each) => commandLine(each).includes(program));
  await killAtOnce(found);
  return found.length === 0 ? 0 : 1;
}

async function collect(client: Burnish, id: string): Promise<Omit<BatchRun, 'kills' | 'history'>> {
  const batch = await client.batches.get(id);
  const manifest: BatchItem[] = [];
  for await (const item of client.batches.manifest(id)) manifest.push(item);
  const { usedCreditsThisPeriod, reservedCreditsThisPeriod } = await client.credits();
  let enhancements = 0;
  for await (const _ of client.enhancements.list()) enhancements += 1;
  return {
    ...{ batch, manifest, enhancements },
    faulty: Math.floor(batch.counts.items / FAULTY_EVERY),
    usedCredits: usedCreditsThisPeriod,
    reservedCredits: reservedCreditsThisPeriod,
    seconds: (Date.parse(batch.finishedAt!) - Date.parse(batch.approvedAt!)) / 1000,
  };
}

async function readHistory(instance: Instance, id: string): Promise<BatchRun['history']> {
  const connection = await Connection.connect({ address: instance.temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    const longest = { runs: 0, events: 0, bytes: 0 };
    for await (const { runId } of workflow.list({ query: `WorkflowId = "${batchWorkflowId(id)}"` })) {
      const { historyLength, historySize = 0 } = await workflow.getHandle(batchWorkflowId(id), runId).describe();
      longest.runs += 1;
      longest.events = Math.max(longest.events, historyLength);
      longest.bytes = Math.max(longest.bytes, historySize);
    }
    return longest;
  } finally {
    await connection.close();
  }
}

/** Serves one small picture with another comment at each path, and text at some. */
export async function servePictures() {
  const jpeg = await picture(300, 220).jpeg({ quality: 92 }).toBuffer();
  return localServer((request, response) => {
    const number = Number(/\d+/.exec(request.url!)![0]);
    if (number % FAULTY_EVERY === FAULTY_EVERY - 1) {
      response.end('This is not a picture. '.repeat(2_000));
      return;
    }
    // A comment (marker FFFE) after the start of the image (FFD8) makes other bytes.
    const comment = Buffer.alloc(8);
    comment.writeUInt32BE(0xff_fe_00_06);
    comment.writeUInt32BE(number, 4);
    response.end(Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]));
  });
}

/** What a run of a batch must fulfil, as sentences about what it does not. Times are judged by the caller. */
export function judgeBatch({ batch, manifest, faulty, ...run }: BatchRun): string[] {
  const { items } = batch.counts;
  const keys = new Set(manifest.map(({ key }) => key));
  const orders = new Set(manifest.flatMap(({ enhancementId }) => enhancementId ?? []));
  const charged = manifest.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  const predicted = batch.prediction!.credits;
  const rules: [boolean, string][] = [
    [manifest.length === items && keys.size === items, `${keys.size} keys in ${manifest.length} lines of ${items}`],
    [batch.counts.finished === items - faulty, `${batch.counts.finished} finished, ${faulty} of ${items} are faulty`],
    [batch.counts.failed === faulty, `${batch.counts.failed} failed, and not ${faulty}`],
    [manifest.every(({ state, resultUrl }) => (state === 'FINISHED') === (resultUrl !== null)), 'a result is missing'],
    [charged === batch.chargedCredits, `the manifest has ${charged} credits, the batch ${batch.chargedCredits}`],
    [charged === run.usedCredits, `the manifest has ${charged} credits, the account paid ${run.usedCredits}`],
    [run.reservedCredits === 0, `${run.reservedCredits} credits are still reserved`],
    [run.enhancements === orders.size, `${run.enhancements} enhancements for ${orders.size} in the manifest`],
    [Math.abs(charged / predicted - 1) <= 0.05, `${charged} credits, ${predicted} predicted`],
    [run.history.events < 10_000 && run.history.bytes < 5_000_000, `a history: ${JSON.stringify(run.history)}`],
  ];
  return rules.flatMap(([holds, fault]) => (holds ? [] : [fault]));
}
