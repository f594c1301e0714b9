import { rm } from 'node:fs/promises';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AllOperatorCommands } from '../../src/api/operator/all-operator-commands.ts';
import { createStorageCheck } from '../../src/api/operator/storage-check.ts';
import { callOperator } from '../../src/cli/operator/call.ts';
import { addStorageCommand } from '../../src/cli/operator/storage-command.ts';
import { serveOperator, type OperatorListener } from '../../src/runtime/operator-server.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { resultOf, uploadOf } from '../api/previews/stored-files.ts';
import { testGateway, type TestGateway } from '../api/support/gateway.ts';
import { openMarkedStore, unmount } from '../support/marked-store.ts';
import { cutOff, flipBit, objectPath, rot } from '../support/rot.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
let gateway: TestGateway;
let listener: OperatorListener;
let storage: ObjectStore;
let root: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  root = `${folder.path}/objects`;
  storage = await openMarkedStore(root);
  gateway = { ...(await testGateway({ storage })), storage };
  const check = createStorageCheck({ ...gateway.records, openStore: () => Promise.resolve(storage) });
  const quiet = { warn: () => undefined, error: () => undefined };
  listener = await serveOperator(folder.path, check as AllOperatorCommands, quiet);
});
afterAll(async () => {
  await listener?.close();
  await gateway?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Runs the command beside the instance, through its socket. */
async function check(...args: string[]): Promise<{ lines: string[]; failed: boolean }> {
  const lines: string[] = [];
  let failed = false;
  const program = new Command().exitOverride();
  const output = { print: (more: string[]) => void lines.push(...more), fail: () => void (failed = true) };
  const run = async (work: (commands: AllOperatorCommands) => Promise<string[]>): Promise<void> =>
    void lines.push(...(await work((await callOperator(folder.path))!)));
  addStorageCommand(program, run, output);
  await program.parseAsync(['storage', 'check', ...args], { from: 'user' });
  return { lines, failed };
}

const bytesOf = (letter: string): Buffer => Buffer.alloc(10_000, letter);

test('reads every file, names each damaged and missing one with its record, and fails then', async () => {
  const uploads = [];
  for (const letter of ['a', 'b', 'c']) {
    const upload = await uploadOf(gateway, bytesOf(letter), 'image/jpeg');
    uploads.push({ upload, result: await resultOf(gateway, upload, bytesOf(letter), 'image/jpeg') });
  }
  const [one, two, three] = uploads as [(typeof uploads)[0], (typeof uploads)[0], (typeof uploads)[0]];
  expect(await check()).toEqual({
    lines: ['Read 6 files, 60,000 bytes: 0 damaged, 0 missing, 0 unreadable.'],
    failed: false,
  });

  await rot(objectPath(root, one.upload.objectKey!), flipBit);
  await rot(objectPath(root, two.result.result!.objectKey), cutOff);
  await rm(objectPath(root, three.result.result!.objectKey));
  // The files of a deleted upload are not missed.
  const deleted = await uploadOf(gateway, bytesOf('d'), 'image/jpeg', { status: 'UPLOAD_DELETED' });
  await storage.delete(deleted.objectKey!);
  const { lines, failed } = await check();
  expect(failed).toBe(true);
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(`^damaged +original of ${one.upload.id} +account acc_.* object ${one.upload.objectKey}$`),
    ),
    expect.stringMatching(new RegExp(`^damaged +result ${two.result.id} of ${two.upload.id} `)),
    expect.stringMatching(new RegExp(`^missing +result ${three.result.id} of ${three.upload.id} `)),
    expect.stringMatching(/: 2 damaged, 1 missing, 0 unreadable\.$/),
  ]);
  const json = await check('--json', '--after', one.upload.id);
  expect(json.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { problem: 'damaged', enhancementId: two.result.id },
    { problem: 'missing', enhancementId: three.result.id },
    { files: 4, damaged: 1, missing: 1, unreadable: 0 },
  ]);
});

test('reads no faster than the given rate', async () => {
  const started = performance.now();
  await check('--rate', '0.05');
  expect(performance.now() - started).toBeGreaterThan(500);
});

test('with another storage in place, says so instead of thousands of missing files', async () => {
  const mount = await unmount(root);
  await expect(check()).rejects.toThrow(/marker/);
  await mount();
});
