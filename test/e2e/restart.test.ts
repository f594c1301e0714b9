import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect, test } from '@jest/globals';
import { isRunning } from '../../src/process/process-identity.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { UploadRecord } from './api.ts';
import { readEvents } from './events.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { freePorts, startInstance } from './instance.ts';
import { portTrouble } from '../../src/temporal/port.ts';
import { processTree } from './processes.ts';
import { webhookReceiver } from './webhook-receiver.ts';
import { expectNamed } from '../support/expect-named.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

test(
  'Ctrl-C ends all processes, a new start has all data, and no secret is in logs or histories',
  async () => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    await using receiver = await webhookReceiver();
    const ports = await freePorts();
    const shared = {
      dataDir: folder.path,
      ports,
      // Without encryption, so that the histories show what stands in payloads.
      env: { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`, BURNISH_PAYLOAD_ENCRYPTION: 'off' },
    };
    await using first = await startInstance(shared);
    expect(first.apiKey).not.toBe('');
    expect(first.webhookSecret).toMatch(/^whsec_/);

    const order = { enhancements: [{ upscalingFactor: 'X2' }], webhookUrl: `${receiver.url}/hook` };
    const { body: upload } = await first.api.upload(await photo(), order);
    await first.api.upload(await pdfWithPhoto(), order);
    for await (const event of readEvents(`${first.url}/v1/uploads/${upload.id}/events?until=settled`, first.apiKey)) {
      expect(event.event).toMatch(/^(upload|enhancement|progress|end)$/);
    }
    const record = await first.api.settled(upload.id);
    const file = await fetch(record.enhancements[0]!.fullUrl!);
    expect(file.status).toBe(200);
    const result = Buffer.from(await file.arrayBuffer());
    // Failed requests are logged with more than others.
    expect((await fetch(`${record.enhancements[0]!.fullUrl!}x`)).status).toBe(403);
    expect(
      (
        await fetch(`${first.url}/v1/uploads?key=${first.apiKey}`, {
          headers: { 'x-api-key': 'bk_wrong-key-of-a-stranger' },
        })
      ).status,
    ).toBe(401);
    expect((await first.api.get(`/v1/uploads?after=${first.apiKey}`)).status).toBe(400);
    await receiver.received(({ event }) => event === 'enhanced_image.status_update');

    const histories = await allHistories(ports.temporal);
    expect(histories.includes(upload.id)).toBe(true);
    expect(histories.includes('notifyReceivers')).toBe(true);

    const processes = processTree(first.pid);
    expect(processes.length).toBeGreaterThan(2);
    expect(await first.stop()).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
    for (const port of Object.values(ports)) expect(await portTrouble('127.0.0.1', port)).toBeUndefined();

    await using second = await startInstance({ ...shared, apiKey: first.apiKey });
    expect(second.stdout()).not.toMatch(/API key|whsec_/);
    const { body: found } = await second.api.get<UploadRecord>(`/v1/uploads/${upload.id}`);
    expect(withoutAddresses(found)).toEqual(withoutAddresses(record));
    const again = await fetch(found.enhancements[0]!.fullUrl!);
    expect(Buffer.from(await again.arrayBuffer()).equals(result)).toBe(true);
    // An address that was handed out before the restart is good for its 24 hours.
    expect((await fetch(record.enhancements[0]!.fullUrl!)).status).toBe(200);
    // The workflow is there too: it takes commands.
    expect((await second.api.call('DELETE', `/v1/uploads/${upload.id}`)).status).toBe(202);
    expect(await second.stop()).toBe(0);

    const secrets = {
      'the API key': first.apiKey,
      'the webhook secret': first.webhookSecret,
      'the webhook secret as a key': Buffer.from(first.webhookSecret.slice(6), 'base64').toString('latin1'),
      'the key of commands on this machine': localKey(await readFile(join(folder.path, 'local-access.json'), 'utf8')),
      'a signed address': new URL(record.enhancements[0]!.fullUrl!).searchParams.get('token')!,
      'the signature of an address': new URL(record.enhancements[0]!.fullUrl!).searchParams
        .get('token')!
        .split('.')[1]!,
    };
    const places = {
      'the log': first.stderr() + second.stderr(),
      'what the second start printed': second.stdout(),
      'the histories': histories,
      "Temporal's folder": await allBytes(join(folder.path, 'temporal')),
    };
    for (const [secret, text] of Object.entries(secrets)) {
      expectNamed(text.length, secret).toBeGreaterThan(20);
      for (const [place, content] of Object.entries(places)) {
        expectNamed(content.includes(text), `${secret} in ${place}`).toBe(false);
      }
    }
  },
  SEVERAL_STARTS,
);

/** Every history as it is stored: payloads are JSON text, which stands in the encoded message as it is. */
async function allHistories(port: number): Promise<string> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const client = new Client({ connection });
    let histories = '';
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      histories += Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish()).toString('latin1');
    }
    return histories;
  } finally {
    await connection.close();
  }
}

async function allBytes(folder: string): Promise<string> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ name }) => name);
  expect(names).toContain('temporal.sqlite');
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return contents.join('\n');
}

const localKey = (json: string): string => (JSON.parse(json) as { apiKey: string }).apiKey;

/** Addresses are signed afresh at each read. */
function withoutAddresses({ url: _, enhancements, ...upload }: UploadRecord): object {
  return { ...upload, enhancements: enhancements.map(({ fullUrl: __, ...each }) => each) };
}
