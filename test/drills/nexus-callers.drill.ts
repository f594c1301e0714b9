import '../setup/quiet-temporal.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { picture } from '../e2e/files.ts';
import { cleanEnvironment, freePorts, type Instance, runCommand, startInstance } from '../e2e/instance.ts';
import { printedToken } from '../e2e/nexus-callers.ts';
import { commandLine, killAtOnce, processTree } from '../e2e/processes.ts';
import { exampleFiles } from '../support/example-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { buildGo, preparePython, prepareTypeScript, type Program } from './nexus-callers/toolchains.ts';

/* Callers of the Nexus service in other languages: the examples of examples/nexus, and 300 callers among kills. */

const CALLERS = 300;
const CANCELLED = 50;
/** Time between two kills, milliseconds. */
const KILL_PAUSE_MS = 6_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let photos: Awaited<ReturnType<typeof servePhotos>>;
let instance: Instance;
let ports: Instance['ports'];
let token: string;
const environment = { BURNISH_CREDITS_PER_PERIOD: '100000', BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1' };

beforeAll(async () => {
  folder = await temporaryFolder();
  photos = await servePhotos();
  ports = await freePorts();
  instance = await start();
  const connection = await Connection.connect({ address: instance.temporalAddress });
  const retention = { seconds: 86_400 as never };
  await connection.workflowService.registerNamespace({
    namespace: 'shop',
    workflowExecutionRetentionPeriod: retention,
  });
  await connection.close();
  const create = ['endpoints', 'create', 'shop', '--account', 'Default', '--json'];
  const command = runCommand(create, await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir }));
  expect([await command.ended, command.stderr()]).toEqual([0, '']);
  token = printedToken(command.stdout());
}, 300_000);
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  photos?.close();
  await folder?.[Symbol.asyncDispose]();
});

const start = (apiKey?: string): Promise<Instance> =>
  startInstance({ dataDir: join(folder.path, 'data'), ports, env: environment, ...(apiKey && { apiKey }) });

/** Serves another small photograph at each path. */
async function servePhotos() {
  const server = createServer((request, response) => {
    const seed = Number(request.url!.slice(1));
    void picture(300, 220, { seed })
      .jpeg({ quality: 92 })
      .toBuffer()
      .then((bytes) => response.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: (seed: number): string => `http://127.0.0.1:${port}/${seed}`, close: () => server.close() };
}

const run = ([program, ...args]: Program, ...more: string[]): ChildProcess =>
  spawn(program, [...args, ...more], {
    env: { ...process.env, TEMPORAL_ADDRESS: instance.temporalAddress, BURNISH_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const example = (language: string): Promise<Map<string, string>> => exampleFiles(`nexus/${language}`);

test('the examples of the documentation print the address of an enhanced photograph', async () => {
  const programs = [
    await prepareTypeScript(await example('typescript'), join(folder.path, 'ts')),
    await preparePython((await example('python')).get('main.py')!, join(folder.path, 'python')),
    await buildGo(await example('go'), join(folder.path, 'go')),
  ];
  for (const [index, program] of programs.entries()) {
    const child = run(program, photos.url(1_000 + index));
    let printed = '';
    child.stdout!.on('data', (text: Buffer) => (printed += text.toString()));
    const [code] = (await once(child, 'exit')) as [number];
    expect([program[0], code]).toEqual([program[0], 0]);
    // The SDK of Go logs to the same stream.
    const [address] = /^http:\S+$/m.exec(printed) ?? ['no address'];
    const answer = await fetch(address);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  }
}, 1_200_000);

test(`${CALLERS} callers in Go and Python get ${CALLERS} results among kills of each process, and ${CANCELLED} cancelled ones pay nothing`, async () => {
  const source = (name: string): Promise<string> => readFile(join(import.meta.dirname, 'nexus-callers', name), 'utf8');
  const programs = {
    go: await buildGo(
      new Map(await example('go')).set('main.go', await source('worker.go')),
      join(folder.path, 'go-worker'),
    ),
    python: await preparePython(await source('worker.py'), join(folder.path, 'python-worker')),
  };
  const workers = { go: run(programs.go), python: run(programs.python) };
  const queues = Object.keys(programs) as (keyof typeof programs)[];
  const before = await instance.api.credits();
  const { apiKey } = instance;

  let connection = await Connection.connect({ address: instance.temporalAddress });
  const shop = (): Client => new Client({ connection, namespace: 'shop' });
  const order = (seed: number, limits = {}) => ({
    source: { url: photos.url(seed) },
    enhancements: [{ upscalingFactor: 'X2', ...limits }],
  });
  const startCaller = (workflowId: string, args: object[]) =>
    shop().workflow.start('EnhancePhoto', {
      workflowId,
      args,
      taskQueue: queues[workflowId.length % 2]!,
      workflowTaskTimeout: '5 s',
    });
  const ids = Array.from({ length: CALLERS }, (_, index) => `caller-${'x'.repeat(index % 2)}${index}`);
  const cancelled = Array.from({ length: CANCELLED }, (_, index) => `cancelled-${index}`);
  for (const [index, id] of ids.entries()) await startCaller(id, [order(index + 1)]);
  for (const [index, id] of cancelled.entries()) await startCaller(id, [order(2_000 + index, { maxCredits: 0 })]);

  const children = (part: string): ReturnType<typeof processTree> =>
    processTree(instance.pid).filter((each) => commandLine(each).includes(part));
  const kills: Record<string, () => Promise<unknown>> = {
    decoder: () => killAtOnce(children('jail-child')),
    Temporal: () => killAtOnce(children('start-dev')),
    async instance() {
      await instance.killTree();
    },
    async callers() {
      for (const queue of queues) {
        workers[queue].kill('SIGKILL');
        workers[queue] = run(programs[queue]);
      }
    },
  };
  for (let round = 0; round < 3; round += 1) {
    for (const kill of Object.values(kills)) {
      await pause(KILL_PAUSE_MS);
      await kill();
      // Temporal starts again in place, or its instance ends.
      await pause(1_000);
      if (!instance.running()) instance = await start(apiKey);
      else
        await until(async () =>
          (await fetch(`${instance.url}/readyz`).catch(() => undefined))?.ok ? true : undefined,
        );
    }
  }
  await connection.close();
  connection = await Connection.connect({ address: instance.temporalAddress });

  await until(async () => {
    const waiting = await instance.api.get<{ items: unknown[] }>('/v1/enhancements?status=AWAITING_APPROVAL&limit=100');
    return waiting.body.items.length === CANCELLED ? true : undefined;
  });
  for (const id of cancelled) await shop().workflow.getHandle(id).cancel();
  const outcomes = await Promise.all(
    cancelled.map((id) =>
      shop()
        .workflow.getHandle(id)
        .result()
        .catch((error: Error) => error.name),
    ),
  );
  expect(new Set(outcomes)).toEqual(new Set(['WorkflowFailedError']));

  const results = await Promise.all(
    ids.map((id) => shop().workflow.getHandle(id).result() as Promise<{ id: string; status: string }>),
  );
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['FINISHED']));
  expect(new Set(results.map(({ id }) => id)).size).toBe(CALLERS);
  const after = await instance.api.credits();
  const price = (await instance.api.get<{ chargedCredits: number }>(`/v1/enhancements/${results[0]!.id}`)).body;
  expect(after).toMatchObject({ used: before.used + CALLERS * price.chargedCredits, reserved: 0 });
  for (const worker of Object.values(workers)) worker.kill('SIGKILL');
  await connection.close();
}, 1_800_000);
