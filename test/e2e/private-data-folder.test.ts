import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wideFiles } from '../support/wide-files.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { cleanEnvironment, freePorts, runCommand, startInstance } from './instance.ts';
import { webhookReceiver } from './webhook-receiver.ts';
import { expectNamed } from '../support/expect-named.ts';
import { onTestFinished } from '../support/running-test.ts';

test('the data folder is readable only by its owner after work, commands and a restart, even if it was wider before', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using receiver = await webhookReceiver();
  await chmod(folder.path, 0o755);
  const ports = await freePorts();
  const env = { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
  const shared = { dataDir: folder.path, ports, env };

  await using first = await startInstance(shared);
  const order = { enhancements: [{ mode: 'ENHANCE' }], webhookUrl: `${receiver.url}/hook` };
  const { body: upload } = await first.api.upload(await photo(), order);
  const { body: document } = await first.api.upload(await pdfWithPhoto(), { ...order, enhancements: [{}] });
  const { enhancements } = await first.api.settled(upload.id);
  expect(enhancements).toMatchObject([{ status: 'FINISHED' }]);
  await first.api.settled(document.id);
  await receiver.received(({ event }) => event === 'enhanced_image.status_update');
  const headers = { 'x-api-key': first.apiKey };
  expect((await fetch(`${first.url}/v1/uploads/${upload.id}/preview`, { headers })).status).toBe(200);
  await operate(folder.path, 'keys', 'create', 'made by the operator');
  await operate(folder.path, 'signing-key', 'rotate');
  expect(await wideFiles(folder.path)).toEqual([]);
  expect(await first.stop()).toBe(0);

  // With no instance, a command opens the data folder itself.
  await operate(folder.path, 'credits');
  expect(await wideFiles(folder.path)).toEqual([]);

  await using second = await startInstance({ ...shared, apiKey: first.apiKey });
  const { body: another } = await second.api.upload(await photo(7), order);
  await second.api.settled(another.id);
  expect((await second.api.call('DELETE', `/v1/uploads/${upload.id}`)).status).toBeLessThan(300);
  expect(await wideFiles(folder.path)).toEqual([]);
  expect(await second.stop()).toBe(0);
  expect(await wideFiles(folder.path)).toEqual([]);
  expect(await readFile(join(folder.path, 'encryption.key'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
}, 180_000);

async function operate(dataDir: string, ...args: string[]): Promise<void> {
  const command = runCommand(args, await cleanEnvironment({ BURNISH_DATA_DIR: dataDir }));
  expectNamed(await command.ended, command.output()).toBe(0);
}
