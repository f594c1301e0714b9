import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { API_KEY, startFakeApi } from '../support/fake-api.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment } from './instance.ts';
import { LACKS_LINUX, describeUnless, lackOf, testUnless } from '../support/needs.ts';

const CLI = join(repositoryRoot, 'scripts', 'burnish.cjs');
/** They print the log of a server, or a script. */
const WITHOUT_RESULT = ['up', 'gateway', 'worker', 'completion'];

async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = await cleanEnvironment(more);
  const { stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env,
    cwd: repositoryRoot,
  });
  return stdout + stderr;
}

test('every command that prints a result accepts --json', async () => {
  const script = await run(['completion', 'bash']);
  const offered = (pattern: RegExp): [string, string[]][] =>
    [...script.matchAll(pattern)].map(([, path, words]) => [path!.trim(), words!.split(' ')]);
  const options = offered(/^ {4}'([\w -]*):-'\*\) COMPREPLY=\(\$\(compgen -W '([^']*)'/gm);
  const groups = new Set(options.map(([path]) => path.split(' ').slice(0, -1).join(' ')));
  const printing = options.filter(([path]) => !groups.has(path) && !WITHOUT_RESULT.includes(path));
  expect(printing.length).toBeGreaterThan(40);
  expect(printing.filter(([, words]) => !words.includes('--json')).map(([path]) => path)).toEqual([]);
});

test('the command has more threads for files than a disk that syncs can hold', async () => {
  await using place = await temporaryFolder();
  const count = join(place.path, 'count.cjs');
  const lines = `process.on('exit', () => console.log(require('node:fs').readdirSync('/proc/self/task').length));`;
  await writeFile(count, lines);
  const output = await run(['--version'], { NODE_OPTIONS: `--require ${count}` });
  expect(Number(output.trim().split('\n').at(-1))).toBeGreaterThan(24);
});

test('a reader of the output that has ended is no failure of a command', async () => {
  const child = spawn(process.execPath, [CLI, 'completion', 'bash'], { env: await cleanEnvironment() });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('a reader of the progress that has ended stops no watch', async () => {
  await using place = await temporaryFolder();
  await using api = await startFakeApi(() => ({ status: 'ERROR', errorCode: 'CORRUPT_FILE' }));
  const [folder, results] = [join(place.path, 'shop'), join(place.path, 'results')];
  await mkdir(folder);
  await writeFile(join(folder, 'notes.jpg'), 'This is not a picture. '.repeat(2_000));
  const env = await cleanEnvironment({ BURNISH_URL: api.baseUrl, BURNISH_API_KEY: API_KEY });
  const child = spawn(process.execPath, [CLI, 'watch', folder, '--out', results, '--json'], { env });
  child.stderr.destroy();
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(JSON.parse(stdout)).toMatchObject({ file: 'notes.jpg', state: 'FAILED' });
  expect(code).toBe(0);
});

test('a command without its instance says so in one line, with exit code 1 and no output', async () => {
  const env = await cleanEnvironment({ BURNISH_URL: 'http://127.0.0.1:1', BURNISH_API_KEY: 'x' });
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'batch', 'status'], { encoding: 'utf8', env });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'No instance of Burnish answers at http://127.0.0.1:1. Check the URL, and that Burnish is running.\n',
  );
});

test('many files in one command need few open files', async () => {
  await using place = await temporaryFolder();
  const files = Array.from({ length: 200 }, (_, number) => join(place.path, `${number}.jpg`));
  for (const file of files) await writeFile(file, 'This is not a picture. '.repeat(2_000));
  const env = await cleanEnvironment({ BURNISH_URL: 'http://127.0.0.1:1', BURNISH_API_KEY: 'x' });
  const command = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, CLI, 'enhance', ...files];
  const { stderr } = spawnSync('sh', command, { encoding: 'utf8', env, cwd: place.path });
  expect(stderr).toMatch(/^No instance of Burnish answers/);
});

testUnless(LACKS_LINUX)('a start that may open few files ends with a sentence, and makes no data folder', async () => {
  await using place = await temporaryFolder();
  const dataDir = join(place.path, 'data');
  const env = await cleanEnvironment({ BURNISH_DATA_DIR: dataDir });
  const command = ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, CLI, 'up'];
  const { status, stderr } = spawnSync('sh', command, { encoding: 'utf8', env });
  expect([status, existsSync(dataDir)]).toEqual([1, false]);
  expect(stderr).toBe(
    'This process may open 256 files, and Burnish needs 1,024. Raise the limit, such as by `ulimit -n 4096` or `LimitNOFILE`.\n',
  );
});

describeUnless(lackOf('script'))('with NO_COLOR, in a terminal', () => {
  test.each([
    ['the help', '--help'],
    ['a mistyped command', 'enhanse'],
    ['a mistyped option', 'listen --forwad-to x'],
    ['a failure', 'estimate absent.jpg --url http://127.0.0.1:1 --api-key x'],
  ])('%s has no colour', async (_what, args) => {
    const env = await cleanEnvironment({ NO_COLOR: '1', TERM: 'xterm-256color' });
    const command = `${process.execPath} ${CLI} ${args}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', env });
    expect(stdout.trim()).not.toBe('');
    expect(stdout).not.toMatch(/\x1b\[[\d;]*m/);
  });
});
