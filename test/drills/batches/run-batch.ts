import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Burnish, type Batch, type BatchItem } from '@burnish/client';
import type { ParametersRepresentation } from '@burnish/contract';
import { createTotalCpuReader } from '../../../bench/lifecycle/processes.ts';
import { batchWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { identifyProcess, isRunning } from '../../../src/process/process-identity.ts';
import { commandLine, killAtOnce, processTree } from '../../e2e/processes.ts';
import { freePorts, type Instance, startInstance } from '../../support/instance.ts';
import type { LocalServer } from '../../support/local-server.ts';
import { testPort } from '../../support/test-port.ts';
import { until } from '../../support/until.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { FINISH_WITHIN_MS, type Harm } from '../proof/proof.ts';
import { createStallMeter, type StallMeter } from '../proof/stall.ts';
import { listenTo } from '../proof/traffic.ts';
import { FAULTY_EVERY, type MakePicture, servePictures } from './pictures.ts';
import { readState, type RunState, saveState } from './run-state.ts';

/** Seconds between two looks at the batch. */
const LOOK_SECONDS = 1;
/** Events of a whole batch, once each. */
const EVENTS = ['batch.approval_needed', 'batch.half_done', 'batch.ended'];

export interface BatchRunOptions {
  items: number;
  samples: number;
  /** Seconds between two kills; 0: none */
  killSeconds: number;
  /** Folder of the run and its instance. A call with the folder of an earlier one continues its run. */
  folder: string;
  /** Absent: tiny pictures */
  makePicture?: MakePicture;
  parameters?: ParametersRepresentation;
  /** Gets the events of the account, in a run of one call that ends after them */
  receiver?: WebhookReceiver;
  /** Ends the call before the batch has ended */
  stop?: AbortSignal;
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
  /** Seconds from the approval to the end, without the time between calls */
  seconds: number;
  /** CPU milliseconds of all processes of the instance from the approval to the end; null after a kill or between calls */
  cpuMs: number | null;
  /** All seconds, as the batch showed them once a tenth of its items had ended */
  expectedSeconds: number | null;
  /** The longest time of this call after the approval in which no item ended */
  stallSeconds: number;
  /** Calls that the run took */
  pieces: number;
  /** Kills by the part of the instance */
  kills: Record<string, number>;
  /** Kinds of events that the receiver did not get */
  missingEvents: string[];
  /** The longest history of the parent */
  history: { runs: number; events: number; bytes: number };
}

/**
 * Runs a batch of pictures on an instance of its own, or continues a run. Once the batch is approved, it kills one kind of
 * process after the other: a decoder, Temporal, and the whole instance.
 * @returns null when it stopped before the end of the batch
 */
export async function runBatch(options: BatchRunOptions): Promise<BatchRun | null> {
  const { folder, items, samples, makePicture, receiver, said } = options;
  const state = (await readState(folder)) ?? (await newState(options));
  if (state.items !== items || state.samples !== samples)
    throw new Error(
      `The run in ${folder} has ${state.items} items and ${state.samples} samples. Give the same numbers.`,
    );
  if (state.instance !== null && isRunning(state.instance)) await killAtOnce(processTree(state.instance.pid));
  state.pieces += 1;
  await using pictures = await servePictures(makePicture, state.picturesPort);
  const env = batchSettings([pictures, ...(receiver ? [receiver] : [])]);
  const start = async (): Promise<Instance> => {
    const { ports, apiKey } = state;
    const begun = await startInstance({ dataDir: join(folder, 'instance'), ports, env, apiKey });
    Object.assign(state, { apiKey: begun.apiKey, instance: identifyProcess(begun.pid) ?? null });
    await saveState(folder, state);
    return begun;
  };
  const running = { instance: await start(), start };
  try {
    const { url: baseUrl, apiKey } = running.instance;
    // A restart takes longer than the retries of one call.
    const client = new Burnish({ baseUrl, apiKey, maxRetries: 100 });
    if (receiver !== undefined) await listenTo(running.instance, receiver);
    const id = await begin(client, state, { ...options, url: pictures.url });
    const readCpu = createTotalCpuReader([running.instance.pid]);
    const begunMs = readCpu();
    const meter = createStallMeter();
    if (id === null || !(await lead(client, { id, state, running, meter, look: readCpu }, options))) {
      said(`The run stopped. The same command continues it.`);
      await running.instance.stop();
      return null;
    }
    const cpuMs = options.killSeconds > 0 || state.pieces > 1 ? null : readCpu() - begunMs;
    const { kills, seconds, expectedSeconds, pieces } = state;
    const history = await readHistory(running.instance, id);
    const times = { seconds, stallSeconds: meter.seconds, cpuMs, expectedSeconds };
    const missingEvents = receiver === undefined ? [] : await eventsMissingAt(receiver);
    return { ...(await collect(client, id)), ...times, kills, pieces, missingEvents, history };
  } finally {
    await running.instance.killTree();
  }
}

/** Waits for the events of a whole batch. @returns the kinds of those that did not come */
async function eventsMissingAt({ deliveries }: WebhookReceiver): Promise<string[]> {
  const missing = (): string[] =>
    EVENTS.filter((kind) => !deliveries.some(({ event, status }) => event.event === kind && status < 300));
  await until(missing, ({ length }) => length === 0, { withinMs: FINISH_WITHIN_MS }).catch(() => undefined);
  return missing();
}

/** Settings of an instance that runs large batches, and may call these servers. */
function batchSettings(servers: readonly Pick<LocalServer, 'port'>[]): Record<string, string> {
  return {
    BURNISH_CREDITS_PER_PERIOD: '1000000',
    BURNISH_LOG_LEVEL: 'error',
    BURNISH_ALLOWED_PRIVATE_HOSTS: servers.map(({ port }) => `127.0.0.1:${port}`).join(),
  };
}

async function newState({ items, samples }: BatchRunOptions): Promise<RunState> {
  const kills = { decoder: 0, Temporal: 0, instance: 0 };
  const counts = { pieces: 0, seconds: 0, expectedSeconds: null, kills, rounds: 0 };
  const places = { ports: await freePorts(), picturesPort: await testPort() };
  return { items, samples, ...places, apiKey: '', instance: null, batchId: null, ...counts };
}

/** Creates, fills and approves the batch, as far as no earlier call has. @returns null when it stopped before */
async function begin(
  { batches }: Burnish,
  state: RunState,
  { url, folder, parameters = {}, stop, said }: BatchRunOptions & { url: string },
): Promise<string | null> {
  const { items, samples } = state;
  state.batchId ??= (await batches.create({ enhancements: [parameters], samples, reference: 'drill' })).id;
  await saveState(folder, state);
  const id = state.batchId;
  if ((await batches.get(id)).status === 'COLLECTING') {
    const lines = Array.from({ length: items }, (_, index) => ({ url: `${url}/${index}.jpg`, key: `file-${index}` }));
    await batches.add(id, lines);
    await batches.close(id);
  }
  const { approvedAt, prediction } = await until(
    () => batches.get(id),
    (batch) => batch.status === 'APPROVAL_NEEDED' || batch.approvedAt !== null || stop?.aborted === true,
  );
  if (stop?.aborted === true) return null;
  if (approvedAt === null) {
    said(`Predicted: ${JSON.stringify(prediction)}.`);
    await batches.approve(id);
  }
  return id;
}

interface Lead {
  id: string;
  /** Called every few seconds */
  look: () => void;
  state: RunState;
  meter: StallMeter;
  running: { instance: Instance; start: () => Promise<Instance> };
}

/** Watches an approved batch among kills. @returns whether it has finished */
async function lead(
  { batches }: Burnish,
  { id, state, running, meter, look }: Lead,
  { folder, killSeconds, stop, said }: BatchRunOptions,
): Promise<boolean> {
  const parts = Object.keys(state.kills);
  let lookedAt = performance.now();
  for (let quietSeconds = 0; stop?.aborted !== true;) {
    await delay(1000 * LOOK_SECONDS);
    quietSeconds += LOOK_SECONDS;
    // A look starts a program for each process.
    if (quietSeconds % 5 === 0) look();
    const { status, counts, remainingSeconds } = await batches.get(id);
    const now = performance.now();
    state.seconds += (now - lookedAt) / 1000;
    lookedAt = now;
    const ended = counts.finished + counts.failed;
    meter.look({ ended, open: counts.items - ended });
    if (state.expectedSeconds === null && remainingSeconds !== null && 10 * ended >= counts.items)
      state.expectedSeconds = state.seconds + remainingSeconds;
    await saveState(folder, state);
    if (status === 'FINISHED') return true;
    if (killSeconds === 0 || quietSeconds < killSeconds) continue;
    quietSeconds = 0;
    const part = parts[state.rounds++ % parts.length]!;
    said(`${counts.finished} of ${counts.items} have finished. Killing: ${part}.`);
    state.kills[part]! += await kill(running.instance, part);
    if (part === 'instance') running.instance = await running.start();
  }
  // With a kill since the last look.
  await saveState(folder, state);
  return false;
}

/** @returns whether a process of this kind ran, as a number */
async function kill(instance: Instance, part: string): Promise<number> {
  if (part === 'instance') {
    await instance.killTree();
    return 1;
  }
  const program = part === 'decoder' ? 'jail-child' : 'start-dev';
  const found = processTree(instance.pid).filter((each) => commandLine(each).includes(program));
  await killAtOnce(found);
  return found.length === 0 ? 0 : 1;
}

async function collect(
  client: Burnish,
  id: string,
): Promise<Pick<BatchRun, 'batch' | 'manifest' | 'faulty' | 'usedCredits' | 'reservedCredits' | 'enhancements'>> {
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

/** What a run of a batch did wrong. Times are judged by the caller. */
export function judgeBatch({ batch, manifest, faulty, ...run }: BatchRun): Harm {
  const { items } = batch.counts;
  const keys = new Set(manifest.map(({ key }) => key));
  const orders = new Set(manifest.flatMap(({ enhancementId }) => enhancementId ?? []));
  const charged = manifest.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  const predicted = batch.prediction!.credits;
  const broken = (...rules: readonly (readonly [boolean, string])[]): string[] =>
    rules.flatMap(([holds, fault]) => (holds ? [] : [fault]));
  return {
    lost: broken(
      [manifest.length === items && keys.size === items, `${keys.size} keys in ${manifest.length} lines of ${items}`],
      [batch.counts.finished === items - faulty, `${batch.counts.finished} finished, ${faulty} of ${items} are faulty`],
      [batch.counts.failed === faulty, `${batch.counts.failed} failed, and not ${faulty}`],
      [
        manifest.every(({ state, resultUrl }) => (state === 'FINISHED') === (resultUrl !== null)),
        'a result is missing',
      ],
    ),
    charged: broken(
      [charged === batch.chargedCredits, `the manifest has ${charged} credits, the batch ${batch.chargedCredits}`],
      [charged === run.usedCredits, `the manifest has ${charged} credits, the account paid ${run.usedCredits}`],
      [run.reservedCredits === 0, `${run.reservedCredits} credits are still reserved`],
      [run.enhancements === orders.size, `${run.enhancements} enhancements for ${orders.size} in the manifest`],
    ),
    untold: run.missingEvents.map((kind) => `${batch.id}: no event ${kind}`),
    others: broken(
      [Math.abs(charged / predicted - 1) <= 0.05, `${charged} credits, ${predicted} predicted`],
      [run.history.events < 10_000 && run.history.bytes < 5_000_000, `a history: ${JSON.stringify(run.history)}`],
    ),
  };
}
