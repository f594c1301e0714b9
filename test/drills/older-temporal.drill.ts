import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import type { UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { startInstance, type Instance } from '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OVER_LIMIT = { upscalingFactor: 'X2', maxCredits: 1 };
/** Credits of one enhancement at X2 */
const PRICE = 4;

/** @param order of an upload that waits for approval, or of none */
async function send({ api }: Instance, seed: number, order: object[] = []): Promise<UploadRecord> {
  const { status, body } = await api.upload(await photo(seed), { enhancements: order });
  expect(status).toBe(202);
  return body;
}
const approve = ({ api }: Instance, id: string) => api.call('POST', `/v1/enhancements/${id}/approve`);

test.each([1, 30, 300])(
  'a copy of Temporal that is %s seconds older than the database loses nothing',
  async (seconds) => {
    await using folder = await temporaryFolder();
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    const temporal = join(dataDir, 'temporal');
    await using first = await startInstance({ dataDir });
    const { apiKey } = first;
    const [plain, deleted, approved] = [await send(first, 1), await send(first, 2), await send(first, 3, [OVER_LIMIT])];
    for (const { id } of [plain, deleted]) await first.api.settled(id);
    const early = approved.enhancements[0]!.id;
    await first.api.reached(early, 'AWAITING_APPROVAL');
    const before = await first.api.credits();
    expect(await first.stop()).toBe(0);
    await cp(temporal, copy, { recursive: true });

    await using second = await startInstance({ dataDir, apiKey });
    expect((await approve(second, early)).status).toBe(202);
    await second.api.reached(early, 'FINISHED');
    const path = `/v1/uploads/${plain.id}/enhancements`;
    const { body: late } = await second.api.call<EnhancementRepresentation>('POST', path, { body: OVER_LIMIT });
    await second.api.reached(late.id, 'AWAITING_APPROVAL');
    expect((await second.api.call('DELETE', `/v1/uploads/${deleted.id}`)).status).toBe(202);
    const after = await send(second, 4, [{ upscalingFactor: 'X2' }]);
    await second.api.settled(after.id);
    await pause(seconds * 1_000);
    expect(await second.stop()).toBe(0);

    await rm(temporal, { recursive: true });
    await cp(copy, temporal, { recursive: true });
    await using third = await startInstance({ dataDir, apiKey });
    expect((await approve(third, late.id)).status).toBe(202);
    await third.api.reached(late.id, 'FINISHED');
    expect((await third.api.reached(early, 'FINISHED', 'AWAITING_APPROVAL')).status).toBe('FINISHED');
    expect((await third.api.settled(after.id)).enhancements[0]!.status).toBe('FINISHED');
    expect((await third.api.get<UploadRecord>(`/v1/uploads/${deleted.id}`)).body.status).toBe('UPLOAD_DELETED');
    expect(await third.api.credits()).toMatchObject({ reserved: 0, used: before.used + 3 * PRICE });
    for (const { id } of [plain, approved, after])
      expect((await third.api.call('DELETE', `/v1/uploads/${id}`)).status).toBe(202);
    expect(await third.stop()).toBe(0);
  },
  900_000,
);
