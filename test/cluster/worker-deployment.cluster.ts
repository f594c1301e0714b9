import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation, Fleet, WorkerDeployment } from '@burnish/contract';
import { readHistories } from '../drills/upgrade/judge.ts';
import { type Api, createApi, type UploadRecord } from '../e2e/api.ts';
import { photo, picture } from '../e2e/files.ts';
import { type NexusCallers, printedToken, SHOP, smallSource, startNexusCallers } from '../e2e/nexus-callers.ts';
import { type TwinBuild, twinBuild } from '../support/twin-build.ts';
import { until } from '../support/until.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Member } from './member.ts';

const OPERATOR_KEY = 'the-operators-key-of-the-deployment';
/** An enhancement that keeps a core busy for seconds. */
const SLOW = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };

let cluster: Cluster;
let api: Api;
let twin: TwinBuild;
let third: TwinBuild;
let callers: NexusCallers;
/** The build of this checkout, and its workers */
let first: string;
let firstWorkers: Member[];
/** Rests from the first promotion on */
let resting: UploadRecord;

beforeAll(async () => {
  [twin, third] = [await twinBuild('bbbbbbbbbbbb'), await twinBuild('cccccccccccc')];
  cluster = await startCluster({
    env: {
      BURNISH_WORKER_DEPLOYMENT: 'photos',
      BURNISH_OPERATOR_KEY: OPERATOR_KEY,
      BURNISH_CREDITS_PER_PERIOD: '1000',
    },
  });
  ({ api } = await cluster.startGateway());
  firstWorkers = [await cluster.startMain(), await cluster.startEngine()];
});
afterAll(async () => {
  await callers?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  await twin?.[Symbol.asyncDispose]();
  await third?.[Symbol.asyncDispose]();
});

async function send(seed: number, enhancement: object = {}): Promise<UploadRecord> {
  const { status, body } = await api.upload(await photo(seed), { enhancements: [enhancement] });
  expect(status).toBe(202);
  return body;
}

/** The build that made the result of an enhancement. */
async function madeBy(enhancementId: string): Promise<string | null | undefined> {
  const { engine } = await api.reached(enhancementId, 'FINISHED', 'ERROR');
  return engine?.build;
}

const builderOf = async ({ enhancements }: UploadRecord): Promise<string | null | undefined> =>
  await madeBy(enhancements[0]!.id);

/** Orders another enhancement of an upload that rests. */
async function orderAgain({ id }: UploadRecord, enhancement: object): Promise<string | null | undefined> {
  const path = `/v1/uploads/${id}/enhancements`;
  const order = { enhancements: [enhancement] };
  const { status, body } = await api.call<{ enhancements: [EnhancementRepresentation] }>('POST', path, { body: order });
  expect(status).toBe(202);
  return await madeBy(body.enhancements[0].id);
}

/** The commands refuse with exit code 1. */
const refusal = async (...args: string[]): Promise<string> =>
  await cluster.operate('workers', ...args).then(
    () => 'not refused',
    (error: Error) => error.message,
  );

/** A new worker polls its last task queue, that of Nexus, some seconds after its start. */
const promote = async (...args: string[]): Promise<WorkerDeployment> =>
  await until(
    async () =>
      JSON.parse(await cluster.operate('workers', 'promote', ...args, '--json').catch(() => 'null')) ?? undefined,
  );

test('no build gets work before the first promotion, and readiness and the command say so', async () => {
  const begun = await send(1);
  const ready = await until(async () => {
    const response = await fetch(`${cluster.url}/readyz`);
    return response.status === 503 ? await response.text() : undefined;
  });
  expect(ready).toContain('No worker of a promoted build polls the task queue burnish-main.');
  const said = await cluster.operate('workers');
  expect(said).toContain('No build of photos is current. Promote one: burnish workers promote <build>');
  [first] = /^\S+(?= +inactive)/m.exec(said)!;
  expect((await api.get<UploadRecord>(`/v1/uploads/${begun.id}`)).body.enhancements[0]!.status).toBe('QUEUED');

  expect(await promote(first)).toMatchObject({
    name: 'photos',
    builds: [{ version: first, state: 'CURRENT', share: 100 }],
  });
  expect(await builderOf(begun)).toBe(first);
  await until(async () => ((await fetch(`${cluster.url}/readyz`)).ok ? true : undefined));
  resting = begun;
});

test('a workflow of another namespace gets its result from the promoted build', async () => {
  const made = await cluster.operate('endpoints', 'create', SHOP, '--account', 'Default', '--json');
  callers = await startNexusCallers(cluster.temporal.address, printedToken(made));
  const result = await callers.call('enhance', {
    source: await smallSource(),
    enhancements: [{ upscalingFactor: 'X2' }],
  });
  expect(result).toMatchObject({ status: 'FINISHED', engine: { build: first } });
});

test('a new build gets no work until its promotion, and an incomplete one is refused', async () => {
  await cluster.startMain(twin.program);
  await cluster.startEngine(undefined, twin.program);
  await cluster.startMain(third.program);
  await until(async () => ((await cluster.operate('workers')).includes(third.version) ? true : undefined));
  expect(await builderOf(await send(2))).toBe(first);
  expect(await refusal('promote', third.version)).toContain(
    `No worker of ${third.version} polls burnish-engine and burnish-engine-large. Start one, and promote again.`,
  );
  expect(await refusal('promote', '9.9.9')).toContain('The deployment photos has no build 9.9.9. Name one of these: ');
});

test('a promotion moves also resting uploads to the build, and the operator sees it', async () => {
  await promote(twin.version);
  expect(await builderOf(await send(3))).toBe(twin.version);
  expect(await orderAgain(resting, { mode: 'VIVID' })).toBe(twin.version);
  expect(
    await callers.call('enhance', { source: await smallSource(), enhancements: [{ upscalingFactor: 'X2' }] }),
  ).toMatchObject({
    status: 'FINISHED',
    engine: { build: twin.version },
  });
  const { body } = await createApi(cluster.url, OPERATOR_KEY).get<Fleet>('/v1/operator/queue');
  const shown = JSON.parse(await cluster.operate('workers', '--json')) as Fleet;
  expect(body.deployment).toEqual(shown.deployment);
  const [newest, , oldest] = shown.deployment!.builds;
  expect(newest).toMatchObject({ version: third.version, state: 'INACTIVE', share: 0, open: 0 });
  expect(oldest).toMatchObject({ version: first, state: 'INACTIVE', share: 0 });
  expect(shown.deployment!.builds[1]).toMatchObject({ version: twin.version, state: 'CURRENT', share: 100 });
  // The upload of the test before rests on the first build.
  await until(async () => {
    const { deployment } = JSON.parse(await cluster.operate('workers', '--json')) as Fleet;
    return deployment!.builds[2]!.open > 0 && deployment!.builds[1]!.open >= 2 ? true : undefined;
  });
});

test('a rollback is the promotion of the earlier build, and a percentage divides the work', async () => {
  await promote(first);
  expect(await builderOf(await send(4))).toBe(first);
  expect(await orderAgain(resting, { mode: 'NATURAL' })).toBe(first);

  const { builds } = await promote(twin.version, '--percent', '50');
  expect(builds.filter(({ share }) => share > 0)).toMatchObject([
    { version: twin.version, state: 'RAMPING', share: 50 },
    { version: first, state: 'CURRENT', share: 50 },
  ]);
  const sent = await Promise.all(Array.from({ length: 16 }, (_, index) => send(100 + index)));
  expect(new Set(await Promise.all(sent.map(builderOf)))).toEqual(new Set([first, twin.version]));
  expect(await refusal('drain', twin.version)).toContain(`${twin.version} gets work. Promote another build first`);
  // Promoting the current build ends the division.
  const after = await promote(first);
  expect(after.builds.filter(({ share }) => share > 0)).toMatchObject([{ version: first, share: 100 }]);
});

test('drain waits for the running work of a build, whose workers then stop without a loss', async () => {
  const file = await picture(1000, 750, { seed: 9 }).jpeg({ quality: 85 }).toBuffer();
  const { body } = await api.upload(file, { enhancements: [SLOW] });
  await api.reached(body.enhancements[0]!.id, 'PROCESSING');
  await promote(twin.version);
  expect(await refusal('drain', first, '--timeout', '1')).toContain('The time is over. Drain again, or stop them.');
  expect(await cluster.operate('workers', 'drain', first)).toContain(
    `No worker of ${first} has a task. Its workers can stop.`,
  );
  const { body: done } = await api.get<EnhancementRepresentation>(`/v1/enhancements/${body.enhancements[0]!.id}`);
  expect(done).toMatchObject({ status: 'FINISHED', engine: { build: first } });
  expect(await Promise.all(firstWorkers.map((worker) => worker.stop()))).toEqual([0, 0]);
  expect(await orderAgain(body, {})).toBe(twin.version);
  expect(await orderAgain(resting, { mode: 'ENHANCE', upscalingFactor: 'X2' })).toBe(twin.version);
  expect(await api.credits()).toMatchObject({ reserved: 0 });
  expect((await readHistories(cluster.temporal.address)).failedTasks).toEqual([]);
});
