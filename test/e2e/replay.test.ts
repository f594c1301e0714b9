import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { photo } from './files.ts';
import { cleanEnvironment, portSettings, runCommand } from './instance.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';

/* The check before an upgrade, with histories as the command line of Temporal prints them. */

let instance: SharedInstance;
let folder: TemporaryFolder;
let workflowId: string;
let shown: string;

beforeAll(async () => {
  instance = await sharedInstance({ creditsPerPeriod: 100 });
  folder = await temporaryFolder();
  const { body } = await instance.api.upload(await photo(), { enhancements: [{ upscalingFactor: 'X2' }] });
  expect((await instance.api.settled(body.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
  workflowId = `upload/${body.id}`;
  const show = ['workflow', 'show', '--workflow-id', workflowId, '--output', 'json'];
  const own = [...show, '--address', instance.temporalAddress];
  shown = (await promisify(execFile)(await temporalBinary(), own, { maxBuffer: 10_000_000 })).stdout;
}, 240_000);
afterAll(() => folder?.[Symbol.asyncDispose]());

async function replay(args: string[], env: NodeJS.ProcessEnv = {}) {
  const own = { BURNISH_DATA_DIR: instance.dataDir, ...portSettings(instance.ports), ...env };
  const command = runCommand(['replay', ...args], await cleanEnvironment(own));
  return { code: await command.ended, out: command.stdout(), err: command.stderr() };
}

async function saved(name: string, text: string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

test('a history that Temporal printed as JSON replays, and a changed one is told by its workflow', async () => {
  const fitting = await saved('fitting.json', shown);
  expect(await replay([fitting])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Replayed 1 workflow with version \S+\. No difference was found\.\n$/),
    err: '',
  });
  expect(shown).toContain('"name": "inspectAndEnhance"');
  const changed = await saved(
    'changed.json',
    shown.replaceAll('"name": "inspectAndEnhance"', '"name": "somethingElse"'),
  );
  const { code, out } = await replay([fitting, changed]);
  expect(code).toBe(1);
  expect(out).toMatch(new RegExp(`^${workflowId} differs: .*[Nn]ondeterminism.*\\n`));
  expect(out).toMatch(/\nReplayed 2 workflows with version \S+\. 1 workflow differs\.\n$/);
});

test('open workflows of the server replay without a file', async () => {
  const query = `WorkflowId = '${workflowId}'`;
  const { code, out } = await replay(['--query', query, '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([0, { replayed: 1, differences: [] }]);
});

test('another file, and another data folder, are told with their remedy', async () => {
  const other = await saved('other.json', JSON.stringify({ events: [] }));
  expect(await replay([other])).toMatchObject({ code: 1, err: expect.stringContaining('--output json') });
  const { code, out } = await replay([await saved('fitting.json', shown)], { BURNISH_DATA_DIR: folder.path });
  expect(code).toBe(1);
  expect(out).toMatch(/The encryption key [0-9a-f]{16} is missing\. Set BURNISH_DATA_DIR or BURNISH_ENCRYPTION_KEY\./);
});
