import { expect } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/answers.ts';
import { picture } from '../e2e/files.ts';
import { freePorts, type Instance, startInstance } from '../e2e/instance.ts';
import type { WebhookReceiver } from '../e2e/webhook-receiver.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';

/** An enlargement by four with noise reduction keeps a core busy for seconds. */
export const SLOW_ORDER = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
export const slowPhoto = (seed: number): Promise<Buffer> =>
  picture(1600, 1200, { seed }).jpeg({ quality: 85 }).toBuffer();

export interface Drill {
  /** The running instance */
  instance: Instance;
  /** Restarts it in the same folder, on the same ports */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An instance that tests can kill and restart. */
export async function startDrill(dataDir: string, receiver: WebhookReceiver): Promise<Drill> {
  const shared = {
    dataDir,
    ports: await freePorts(),
    env: { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` },
  };
  await copyMigratedDatabase(dataDir);
  const first = await startInstance(shared);
  const drill: Drill = {
    instance: first,
    async restart() {
      drill.instance = await startInstance({ ...shared, apiKey: first.apiKey });
    },
    [Symbol.asyncDispose]: () => drill.instance[Symbol.asyncDispose](),
  };
  return drill;
}

/**
 * Sends a file, kills all processes at `moment`, and restarts. Expects everything that the 202 promised: the enhancement
 * finishes, is charged once, and the receiver gets its event.
 */
export async function expectSurvival(
  drill: Drill,
  receiver: WebhookReceiver,
  seed: number,
  moment: (instance: Instance, enhancementId: string) => Promise<unknown>,
): Promise<void> {
  const before = await drill.instance.api.credits();
  const order = { enhancements: [SLOW_ORDER], webhookUrl: `${receiver.url}/${seed}` };
  const { status, body } = await drill.instance.api.upload(await slowPhoto(seed), order);
  expect(status).toBe(202);
  const [{ id }] = body.enhancements as [EnhancementRepresentation];
  await moment(drill.instance, id);
  await drill.instance.killTree();

  await drill.restart();
  const { api } = drill.instance;
  const enhancement = await api.reached(id, 'FINISHED', 'ERROR', 'CANCELLED');
  expect(enhancement).toMatchObject({ status: 'FINISHED', chargedCredits: 4, width: 6400, height: 4800 });
  const file = await fetch(enhancement.fullUrl!);
  expect((await file.arrayBuffer()).byteLength).toBe(enhancement.filesize);
  await receiver.received(({ event, data }) => event === 'upload.status_update' && data['id'] === body.id);
  const { event } = await receiver.received(({ data }) => data['id'] === id && data['status'] === 'FINISHED');
  // Burnish may deliver an event again, always with the same event id, so that a receiver can drop duplicates.
  const told = receiver.deliveries.filter((each) => each.event.data['id'] === id);
  expect(new Set(told.map((each) => each.event.id))).toEqual(new Set([event.id]));
  expect(await api.credits()).toMatchObject({ used: before.used + 4, reserved: before.reserved });
}
