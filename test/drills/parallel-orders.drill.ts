import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import { startWholeCluster } from '../cluster/cluster.ts';
import { type Answer, type Api, createApi, type UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import { until } from '../support/until.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';
import { encodeHistory } from '../workflows/history-file.ts';

const ORDERS = 60;
const ROUNDS = Number(process.env['DRILL_ROUNDS'] ?? 20);
const LIMIT_MS = 3_600_000;
const OPERATOR_KEY = 'the-operators-key-of-the-drill';
const OVER = ['FINISHED', 'ERROR', 'CANCELLED'];

/** What the log says when a worker has two workflow tasks of a run, or cannot repeat a history. */
const BAD_LINES = /new WFT for a run|unprocessed protocol messages|TMPRL1100|"level":50/;

type Told = Answer<Partial<EnhancementRepresentation> & { id: string; code?: string; detail?: string }>;

interface Round {
  api: Api;
  uploadId: string;
  /** Sends order `index` of the round. Orders differ, so that no result is reused */
  order(index: number): Promise<Told>;
}

/** What the orders go to. Each request takes the next gateway. */
interface Stack extends AsyncDisposable {
  urls: readonly string[];
  temporalAddress: string;
  output(): string;
}

// The drill reads payloads of histories.
const SETTINGS = { BURNISH_OPERATOR_KEY: OPERATOR_KEY, BURNISH_PAYLOAD_ENCRYPTION: 'off' };

const STACKS: Record<string, () => Promise<Stack>> = {
  async 'the embedded stack'() {
    const instance = await startInstance({ env: SETTINGS });
    return { ...instance, urls: [instance.url] };
  },
  async 'PostgreSQL and two gateways'() {
    const { cluster, gateways } = await startWholeCluster({ env: SETTINGS });
    return {
      urls: gateways.map(({ url }) => url),
      temporalAddress: cluster.temporal.address,
      output: () => cluster.members.map(({ output }) => output()).join('\n'),
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    };
  },
};

let stack: Stack;
let temporal: Connection;
let client: Client;

async function newRound(kind: string, number: number, credits: number, withKeys: boolean): Promise<Round> {
  const account = { name: `${kind} ${number}`, plan: 'BUSINESS', creditsPerPeriod: credits };
  const operator = createApi(stack.urls[0]!, OPERATOR_KEY);
  const { body: created } = await operator.call<{ apiKey: string }>('POST', '/v1/operator/accounts', { body: account });
  const apis = stack.urls.map((url) => createApi(url, created.apiKey));
  const api = apis[0]!;
  const { body: upload } = await api.upload(await photo(number));
  await api.settled(upload.id);
  const order = async (index: number): Promise<Told> => {
    const each = apis[index % apis.length]!;
    const answer = await each.call<Told['body'] & { enhancements?: Told['body'][] }>(
      'POST',
      `/v1/uploads/${upload.id}/enhancements`,
      {
        body: {
          enhancements: [{ noiseReductionProfilingMode: 'AUTO', noiseReductionProfilingStrength: index / 100 }],
          creditWait: 0,
        },
        headers: withKeys ? { 'Idempotency-Key': `order-${index}` } : {},
      },
    );
    return { ...answer, body: answer.body.enhancements?.[0] ?? answer.body };
  };
  return { api, uploadId: upload.id, order };
}

const indexes = Array.from({ length: ORDERS }, (_, index) => index);
const count = (answers: readonly Told[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

async function existing({ api, uploadId }: Round): Promise<EnhancementRepresentation[]> {
  const { body } = await api.get<UploadRecord>(`/v1/uploads/${uploadId}`);
  return body.enhancements;
}

/** What was told is what exists: each accepted order, and no other one but those that were withdrawn. */
async function expectTruth(round: Round, answers: readonly Told[]): Promise<void> {
  const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body.id);
  const refused = answers.filter(({ status }) => status === 503);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const withdrawn = refused.filter(({ body }) => body.detail?.includes('withdrawn')).length;
  const others = (await existing(round)).filter(({ id }) => !accepted.includes(id));
  expect(new Set(accepted).size).toBe(accepted.length);
  expect((await existing(round)).filter(({ id }) => accepted.includes(id))).toHaveLength(accepted.length);
  expect(others.length).toBeLessThanOrEqual(withdrawn);
  for (const { id } of others) expect((await round.api.reached(id, 'CANCELLED')).chargedCredits).toBeNull();
}

/** No run is terminated, and each history can be repeated; nothing is left reserved. */
async function expectHealth({ api, uploadId }: Round): Promise<void> {
  await until(async () => ((await api.credits()).reserved === 0 ? true : undefined));
  const workflowId = uploadWorkflowId(uploadId);
  const [statuses, runs]: [string[], string[]] = [[], []];
  for await (const { runId, status } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    statuses.push(status.name);
    runs.push(runId);
  }
  expect(['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW']).toEqual(expect.arrayContaining(statuses));
  expect(runs.length).toBeGreaterThan(0);
  for (const runId of runs) await expectRepeatable(workflowId, runId);
}

/** @throws an Error that names the file with the history, if it cannot be repeated */
async function expectRepeatable(workflowId: string, runId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  // A history that ends within a workflow task cannot be repeated.
  const history = await until(async () => {
    const { events } = await handle.fetchHistory();
    const { raw, historyLength } = await handle.describe();
    return !raw.pendingWorkflowTask && historyLength === events?.length ? { events } : undefined;
  });
  try {
    await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  } catch (cause) {
    const file = join(tmpdir(), `history-${runId}.binpb`);
    await writeFile(file, encodeHistory(history));
    throw new Error(`The history in ${file} cannot be repeated.`, { cause });
  }
}

interface Kind {
  credits: number;
  withKeys: boolean;
  /** All answers of a round */
  run(round: Round, number: number): Promise<Told[]>;
  /** Statuses of orders beside 202 and 503 */
  others?: number[];
}

const all = ({ order }: Round): Promise<Told[]> => Promise.all(indexes.map(order));

const KINDS: Record<string, Kind> = {
  'with keys': {
    credits: 10_000,
    withKeys: true,
    async run(round) {
      const first = await all(round);
      // A refused order is the same one when it is repeated with its key.
      const again = indexes.map(async (index) => {
        if (first[index]!.status !== 503) return first[index]!;
        return await until(
          () => round.order(index),
          ({ status }) => status !== 503,
        );
      });
      const settled = await Promise.all(again);
      expect(count(settled, 202)).toBe(ORDERS);
      expect(await existing(round)).toHaveLength(ORDERS);
      expect(new Set(settled.map(({ body }) => body.id)).size).toBe(ORDERS);
      return [...settled, ...first.filter(({ status }) => status === 503)];
    },
  },
  'without keys': { credits: 10_000, withKeys: false, run: all },
  'with 5 credits': {
    credits: 5,
    withKeys: false,
    async run(round) {
      const answers = await all(round);
      await until(async () =>
        (await existing(round)).every(({ status }) => OVER.includes(status)) ? true : undefined,
      );
      const { used, reserved } = await round.api.credits();
      expect([used, reserved]).toEqual([Math.min(5, count(answers, 202)), 0]);
      return answers;
    },
  },
  'beside cancellations and deletions': {
    credits: 10_000,
    withKeys: false,
    others: [400, 404],
    async run(round, number) {
      const { api, uploadId, order } = round;
      const isDeleted = number % 2 === 1;
      const ordered = indexes.map(async (index) => {
        const answer = await order(index);
        if (answer.status === 202 && !isDeleted && index % 2 === 0) {
          const { status } = await api.call('POST', `/v1/enhancements/${answer.body.id}/cancel`);
          expect([202, 409, 503]).toContain(status);
        }
        return answer;
      });
      if (isDeleted) {
        await Promise.race(ordered);
        const deletions = await Promise.all([1, 2, 3].map(() => api.call('DELETE', `/v1/uploads/${uploadId}`)));
        for (const { status } of deletions) expect([202, 503]).toContain(status);
      }
      return await Promise.all(ordered);
    },
  },
};

describe.each(Object.keys(STACKS))('on %s', (name) => {
  beforeAll(async () => {
    stack = await STACKS[name]!();
    temporal = await Connection.connect({ address: stack.temporalAddress });
    client = new Client({ connection: temporal });
  }, LIMIT_MS);
  afterAll(async () => {
    await temporal?.close();
    await stack?.[Symbol.asyncDispose]();
  }, LIMIT_MS);

  test.each(Object.keys(KINDS))(
    `${ORDERS} parallel orders on one upload, ${ROUNDS} rounds %s: each accepted order exists, and the workflow lives`,
    async (name) => {
      const { credits, withKeys, run, others = [] } = KINDS[name]!;
      const began = performance.now();
      const totals: Record<number, number> = {};
      for (let number = 1; number <= ROUNDS; number += 1) {
        const round = await newRound(name, number, credits, withKeys);
        const answers = await run(round, number);
        for (const { status } of answers) totals[status] = (totals[status] ?? 0) + 1;
        expect(
          Object.keys(totals)
            .map(Number)
            .filter((status) => ![202, 503, ...others].includes(status)),
        ).toEqual([]);
        await expectTruth(round, answers);
        await expectHealth(round);
      }
      console.info(`${name}: ${JSON.stringify(totals)}, ${Math.round((performance.now() - began) / 1_000)} s`);
      expect(stack.output().match(BAD_LINES)).toBeNull();
    },
    LIMIT_MS,
  );
});
