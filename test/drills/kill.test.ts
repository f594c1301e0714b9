import { expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { picture } from '../e2e/files.ts';
import { freePorts, startInstance } from '../e2e/instance.ts';
import { commandLine, killAtOnce, processorSeconds, processTree } from '../e2e/processes.ts';
import { webhookReceiver } from '../e2e/webhook-receiver.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Processor time; a decoder uses less before it receives a file */
const STARTED_AFTER_SECONDS = 1.5;
/** An enlargement by four with noise reduction keeps a core busy for seconds. */
const SLOW_ORDER = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
const slowPhoto = (seed: number): Promise<Buffer> => picture(1600, 1200, { seed }).jpeg({ quality: 85 }).toBuffer();

test('kill -9 during an enhancement, or of its decoder, loses nothing', async () => {
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const env = { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
  const shared = { dataDir: folder.path, ports: await freePorts(), env };
  await copyMigratedDatabase(folder.path);
  await using first = await startInstance(shared);
  const before = await first.api.credits();
  const { status, body: sent } = await first.api.upload(await slowPhoto(1), {
    enhancements: [SLOW_ORDER],
    webhookUrl: receiver.url,
  });
  expect(status).toBe(202);
  const { id: interrupted } = sent.enhancements[0]!;
  await first.api.reached(interrupted, 'PROCESSING');
  await first.killTree();

  await using instance = await startInstance({ ...shared, apiKey: first.apiKey });
  const { api, pid } = instance;
  const enhancement = await api.reached(interrupted, 'FINISHED', 'ERROR', 'CANCELLED');
  expect(enhancement).toMatchObject({ status: 'FINISHED', chargedCredits: 4, width: 6400, height: 4800 });
  const file = await fetch(enhancement.fullUrl!);
  expect((await file.arrayBuffer()).byteLength).toBe(enhancement.filesize);
  await receiver.received(({ event, data }) => event === 'upload.status_update' && data['id'] === sent.id);
  const { event } = await receiver.received(({ data }) => data['id'] === interrupted && data['status'] === 'FINISHED');
  // Burnish may deliver an event again, always with the same event id, so that a receiver can drop duplicates.
  const told = receiver.deliveries.filter((each) => each.event.data['id'] === interrupted);
  expect(new Set(told.map((each) => each.event.id))).toEqual(new Set([event.id]));
  expect(await api.credits()).toMatchObject({ used: before.used + 4, reserved: before.reserved });

  // Kills only the decoder's process, more often than a crash of its own would be forgiven.
  const { body } = await api.upload(await slowPhoto(2), { enhancements: [SLOW_ORDER] });
  const { id } = body.enhancements[0]!;
  await api.reached(id, 'PROCESSING');
  // A decoder that has worked longer already has the file.
  let killed = 0;
  await until(async () => {
    const decoders = processTree(pid).filter((each) => commandLine(each).includes('jail-child'));
    const atWork = decoders.filter((each) => processorSeconds(each) > STARTED_AFTER_SECONDS);
    await killAtOnce(atWork);
    killed += atWork.length;
    const { body: now } = await api.get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
    return killed >= 3 || now.status !== 'PROCESSING' || undefined;
  });
  expect(killed).toBeGreaterThan(0);
  const [finished] = (await api.settled(body.id)).enhancements;
  expect(finished).toMatchObject({ status: 'FINISHED', chargedCredits: 4 });
  expect(await api.credits()).toMatchObject({ used: before.used + 8, reserved: before.reserved });
  expect(await instance.stop()).toBe(0);
}, 400_000);
