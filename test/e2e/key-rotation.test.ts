import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { photo } from './files.ts';
import { freePorts, type Instance, startInstance } from './instance.ts';

const idOf = (key: string): string => createKeyRing([Buffer.from(key, 'base64')]).keyIds[0];

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

test(
  'A lifecycle continues under a new encryption key. Without the old key, a start ends while Temporal has workflows of its time.',
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
    await expect(unknown).rejects.toThrow(`encrypted with the key ${idOf(older)}, which this process does not have`);

    // The start encrypts stored secrets again, but histories stay as they are.
    const rotated = await start(`${newer},${older}`, apiKey);
    const late = await waiting(rotated, 3);
    await finish(rotated, early[0]);
    await rotated.stop();

    const tooEarly = start(newer, apiKey);
    await expect(tooEarly).rejects.toThrow(
      `3 workflows need the encryption key ${idOf(older)}, which this process does not have. Add this key at the end of BURNISH_ENCRYPTION_KEY`,
    );

    const again = await start(`${newer},${older}`, apiKey);
    await finish(again, early[1]);
    await again.stop();

    // The old key is lost: with an empty Temporal, the lifecycles start again from their records.
    await rm(join(folder.path, 'temporal'), { recursive: true });
    await using withoutOld = await start(newer, apiKey);
    await finish(withoutOld, late);
    expect(await withoutOld.api.credits()).toMatchObject({ used: 12, reserved: 0 });
  },
  SEVERAL_STARTS,
);
