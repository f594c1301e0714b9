import { expect, test } from '@jest/globals';
import { newKey } from '../../src/secrets/key-ring.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { photo } from './files.ts';
import { freePorts, type Instance, startInstance } from './instance.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

test(
  'a lifecycle continues under a new encryption key, and waits while the key of its history is missing',
  async () => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    const shared = { dataDir: folder.path, ports: await freePorts() };
    const [older, newer] = [newKey().toString('base64'), newKey().toString('base64')];
    const start = (keys: string, apiKey = ''): Promise<Instance> =>
      startInstance({ ...shared, apiKey, env: { BURNISH_ENCRYPTION_KEY: keys } });
    const order = { enhancements: [{ upscalingFactor: 'X2' }], maxCredits: 1 };
    const waiting = async ({ api }: Instance, seed: number): Promise<{ uploadId: string; approve: string }> => {
      const { body } = await api.upload(await photo(seed), order);
      const enhancementId = body.enhancements[0]!.id;
      await api.reached(enhancementId, 'AWAITING_APPROVAL');
      return { uploadId: body.id, approve: `/v1/enhancements/${enhancementId}/approve` };
    };

    const finish = async (
      { api }: Instance,
      { uploadId, approve }: { uploadId: string; approve: string },
    ): Promise<void> => {
      expect((await api.call('POST', approve)).status).toBe(202);
      expect((await api.settled(uploadId)).enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 4 }]);
    };

    const first = await start(older);
    const { apiKey } = first;
    const early = [await waiting(first, 1), await waiting(first, 2)] as const;
    await first.stop();

    const unknown = start(newer, apiKey);
    await expect(unknown).rejects.toThrow('encrypted with a key that this process does not have');

    // The start encrypts stored secrets again, but histories stay as they are.
    const rotated = await start(`${newer},${older}`, apiKey);
    const late = await waiting(rotated, 3);
    await finish(rotated, early[0]);
    await rotated.stop();

    const tooEarly = await start(newer, apiKey);
    await finish(tooEarly, late);
    const refused = await tooEarly.api.call('POST', early[1].approve);
    expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    const said = tooEarly.stderr().match(/a workflow waits: .* BURNISH_ENCRYPTION_KEY and restart/gu);
    expect(said).toHaveLength(1);
    expect((await tooEarly.api.get(`/v1/uploads/${early[1].uploadId}`)).status).toBe(200);
    await tooEarly.stop();

    await using restored = await start(`${newer},${older}`, apiKey);
    await finish(restored, early[1]);
    expect(await restored.api.credits()).toMatchObject({ used: 12, reserved: 0 });
  },
  SEVERAL_STARTS,
);
