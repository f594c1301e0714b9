import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setup } from '../../scripts/setup.mjs';
import { picture } from '../e2e/files.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';
import { repositoryRoot } from '../support/repository.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { codeBlocks, commandsOf, RUN_ELSEWHERE, type CodeBlock } from './code-blocks.ts';
import { openShell, type Shell } from './shell.ts';

/**
 * Runs the commands of the pages as a person enters them: in a clone, from the top of a page to its end, on the instance that the
 * commands of the README start. Placeholders such as `bat_…` become the newest value that a command has printed.
 */
await setup({ quiet: true });

const PICTURES = 24;
/** Commands that run until Ctrl-C, and what they print first. */
const LASTING: readonly [command: RegExp, says: RegExp][] = [
  [/npm start\b/, /Ctrl-C stops it\./],
  [/node receiver\.mjs/, /^/],
  [/burnish listen\b/, /Forwarding events/],
  [/burnish watch\b/, /Watching/],
];
/** Commands that a person repeats until their answer says this. */
const REPEATED: readonly [command: RegExp, says: RegExp][] = [
  [/\/enhancements\/\$ENHANCEMENT/, /"status":"FINISHED"/],
  [/\{ upload\(id/, /METADATA_ANALYZED_SUCCESSFULLY/],
  [/\{ enhancedImage\(id/, /"status":"FINISHED"/],
  [/burnish batch status/, /Predicted/],
  [/curl -s "\$BURNISH\/v1\/batches\/\$BATCH" -H/, /"prediction":\{/],
];
/** The receiver of the README prints the events of these pages, and has checked their signatures. */
const WITH_EVENTS = ['README.md', 'docs/graphql.md'];
/** Its reader first registers the buckets of an account, at the end of the page. */
const BUCKETS = 'docs/buckets.md';

const place = await temporaryFolder();
const clone = join(place.path, 'burnish clone');
const ports = {
  gateway: await testPort(),
  receiver: await testPort(),
  temporal: await testPort(),
  ui: await testPort(),
};
const url = `http://127.0.0.1:${ports.gateway}`;
let files: LocalServer;
let hook: LocalServer;
let s3: S3Server;
let shell: Shell;
let firstOutput: string;
/** What the commands of the present page have printed. */
let since = 0;

beforeAll(async () => {
  await mkdir(clone);
  const hidden = ['.git', '.cache', '.burnish'];
  for (const name of await readdir(repositoryRoot))
    if (!hidden.includes(name)) await symlink(join(repositoryRoot, name), join(clone, name));
  for (const folder of ['pictures', 'photos', 'in', 'home']) await mkdir(join(clone, folder));
  await cp(join(repositoryRoot, 'samples', 'yellow-light.jpg'), join(clone, 'photo.jpg'));
  const pictures = Array.from({ length: PICTURES }, (_, seed) => picture(160, 120, { seed }).png().toBuffer());
  const bytes = await Promise.all(pictures);
  for (const [k, each] of bytes.entries()) await writeFile(join(clone, 'pictures', `${k}.png`), each);
  for (const folder of ['photos', 'in']) await writeFile(join(clone, folder, 'one.png'), bytes[0]!);
  files = await listenHttp((req, res) => void res.end(bytes[Number(/\d+/.exec(req.url!)?.[0] ?? 0)]));
  hook = await listenHttp((_req, res) => void res.end());
  s3 = await startS3Server();
  for (const name of ['print-shop', 'photos']) await s3.createBucket(name);
  const addresses = bytes.map((_, k) => `${files.url}/${k}.png\n`);
  await writeFile(join(clone, 'addresses.txt'), addresses.join(''));

  const { PATH = '', TMPDIR } = process.env;
  const binary = await temporalBinary();
  const temporal = `#!/bin/sh\nTEMPORAL_ADDRESS=127.0.0.1:${ports.temporal} exec '${binary}' "$@"\n`;
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    HOME: join(clone, 'home'),
    TMPDIR,
    PORT: String(ports.receiver),
    BURNISH_PORT: String(ports.gateway),
    BURNISH_TEMPORAL_PORT: String(ports.temporal),
    BURNISH_TEMPORAL_UI_PORT: String(ports.ui),
    BURNISH_TEMPORAL_BINARY: binary,
    BURNISH_ENGINE_TIER: 'plain',
  };
  // npx takes a second of the processor at each command, so that one command has it for all.
  const npx = `#!/bin/sh\n[ "$1" = burnish ] && shift && exec node '${join(clone, 'scripts', 'burnish.cjs')}' "$@"\n`;
  shell = await openShell(clone, env, { temporal, npx });
  expect(await shell.run('PATH=$PATH_WITHOUT_WRAPPERS npx burnish doctor')).toContain('Node.js');
  // The first command of the README. Its output has the key and the secret.
  const first = await shell.start('npm start', /Ctrl-C stops it\./);
  await first.stop();
  firstOutput = shell.said();
}, 600_000);

afterAll(async () => {
  await shell?.[Symbol.asyncDispose]();
  for (const each of [files, hook, s3, place]) await each?.[Symbol.asyncDispose]();
}, 200_000);

/** The newest text of a kind that the page's commands, or else the first start, have printed. */
function newest(prefix: string): string {
  // A token in an address may have these letters inside.
  const pattern = new RegExp(`(?<![\\w+/=-])${prefix}[\\w+/=-]{16,}`, 'g');
  const found = [firstOutput, shell.said().slice(since)].flatMap((text) => text.match(pattern) ?? []).at(-1);
  if (found === undefined) throw new Error(`No command has printed a text that begins with ${prefix}.`);
  return found;
}

/** Fills placeholders, and replaces addresses of examples by those of this test. */
function filled(command: string): string {
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = s3.env;
  const hosts = [ports.receiver, files.port, hook.port, new URL(s3.endpoint).port].map((port) => `127.0.0.1:${port}`);
  return command
    .replace('HOSTS=127.0.0.1:4000', `HOSTS=${hosts.join(',')}`)
    .replace(/http:\/\/(?:127\.0\.0\.1|localhost):3000/g, url)
    .replace('http://127.0.0.1:4000', `http://127.0.0.1:${ports.receiver}`)
    .replace('http://localhost:8080', hook.url)
    .replace('https://example.com', files.url)
    .replace('https://minio.example.com', s3.endpoint)
    .replace('--region eu-central-1', `--endpoint ${s3.endpoint}`)
    .replace('ACCESS_KEY_ID=…', `ACCESS_KEY_ID=${id}`)
    .replace('SECRET_ACCESS_KEY=…', `SECRET_ACCESS_KEY=${secret}`)
    .replace(/(bk_|whsec_|[a-z]{3}_)…/g, (_all, prefix: string) => newest(prefix));
}

/** Waits until a lasting command of the page has printed a text. */
const untilSaid = (text: RegExp) => async (): Promise<void> => {
  await until(() => text.test(shell.said().slice(since)) || undefined, undefined, { withinMs: 60_000 });
};

/** Goes on as a new account. */
async function asAccount(name: string): Promise<void> {
  await shell.run(`npx burnish accounts create '${name}'`);
  await shell.run(`export BURNISH_API_KEY=${newest('bk_')}`);
}

/** Variables that a person sets from the answers before a command. */
function variables(): string {
  const texts = shell.said().slice(since);
  const fullUrl = [...texts.matchAll(/"fullUrl":"([^"]+)"/g)].at(-1)?.[1] ?? '';
  const enhancement = texts.match(/enh_\w{26}/g)?.at(-1) ?? '';
  const uploadUrl = [...texts.matchAll(/"uploadUrl":"([^"]+)"/g)].at(-1)?.[1] ?? '';
  return `UPLOAD_URL='${uploadUrl}' KEY='${newest('bk_')}' URL='${url}' BURNISH='${url}' FULL_URL='${fullUrl}' ENHANCEMENT='${enhancement}'`;
}

async function enter(command: string): Promise<void> {
  await shell.run(variables());
  const [, starts] = LASTING.find(([each]) => each.test(command)) ?? [];
  if (starts !== undefined) {
    await shell.start(filled(command), starts);
    return;
  }
  const [, says] = REPEATED.find(([each]) => each.test(command)) ?? [];
  await until(
    async () => {
      const answer = await shell.run(filled(command));
      // GraphQL refuses with HTTP 200.
      if (/^\{("data":.*)?"errors":\[/m.test(answer)) throw new Error(`${command}\nis refused: ${answer}`);
      return answer;
    },
    (answer) => says === undefined || says.test(answer),
    { pauseMs: 500, withinMs: 150_000 },
  );
}

const blocks = (await codeBlocks()).filter(({ page, notRun }) => notRun === undefined && !(page in RUN_ELSEWHERE));
const runnable = blocks.filter(({ language }) => ['sh', 'js'].includes(language));
const readmeFirst = (page: string): number => (page === 'README.md' ? 0 : 1);
const pages = [...new Set(runnable.map(({ page }) => page))].sort((a, b) => readmeFirst(a) - readmeFirst(b));

describe.each(pages)('%s', (page) => {
  beforeAll(async () => {
    since = shell.said().length;
    await shell.run('unset BURNISH_API_KEY');
    if (page === BUCKETS) await asAccount('Print shop Miller');
  });

  const ofPage = runnable.filter((block) => block.page === page);
  if (page === BUCKETS) ofPage.reverse();
  test.each(ofPage.map((block) => [block.line, block] as const))(
    'the block at line %i',
    async (_line, block) => {
      if (block.language === 'js') await saveProgram(block);
      else for (const command of commandsOf(block.code)) await enter(command);
    },
    300_000,
  );
  if (WITH_EVENTS.includes(page))
    test('the receiver prints the events', untilSaid(/enhanced_image\.status_update.*FINISHED/));
});

/** Writes a program under the name in its first line. */
async function saveProgram({ code }: CodeBlock): Promise<void> {
  const [, name] = /^\/\/ ([\w.-]+)$/m.exec(code) ?? [];
  if (name === undefined) throw new Error('The program does not begin with a comment that names its file.');
  await writeFile(join(clone, name), code);
}
