import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pdfWithPhoto } from '../../e2e/files.ts';
import { startFarSide, type FarSide } from '../../hosted/second-instance.ts';
import { until } from '../../support/until.ts';
import { ACCOUNT, nearActivities, type NearActivities } from './near-side.ts';

let far: FarSide;
let near: NearActivities;

beforeAll(async () => {
  far = await startFarSide();
  near = await nearActivities(far);
});
afterAll(async () => {
  // An instance is missing if its start failed.
  await (near as NearActivities | undefined)?.[Symbol.asyncDispose]();
  await (far as FarSide | undefined)?.[Symbol.asyncDispose]();
});

test('another instance gets the options of PDFs, which identify an enhancement whose answer was lost', async () => {
  const { remoteUploadId } = await near.run.placeRemoteUpload(
    await near.stored(await pdfWithPhoto(480, 360, 4), 'application/pdf'),
  );
  await until(async () => {
    const { analysis } = await near.run.readRemoteUpload({ remoteUploadId });
    return analysis === 'done' ? true : undefined;
  });
  const sinceMs = Date.now();
  const jobs = [undefined, 2, 3].map((maxGrowth) => ({
    accountId: ACCOUNT,
    remoteUploadId,
    mimetype: 'application/pdf' as const,
    enhancementId: near.newEnhancementId(),
    parameters: { targetResolution: 144, ...(maxGrowth !== undefined && { maxGrowth }) },
    sinceMs,
  }));
  far.proxy.next('CreateEnhancedImage', { kind: 'drop' }, jobs.length);
  for (const job of jobs) await near.fails('beginRemoteEnhancement', job);

  const shown: object[] = [];
  for (const job of jobs.toReversed()) {
    const found = await near.run.findLostEnhancement(job);
    const path = `/v1/enhancements/${found!.remoteEnhancementId}`;
    shown.push((await far.instance.api.get<{ parameters: object }>(path)).body.parameters);
  }
  expect(shown).toEqual([
    { targetResolution: 144, pdf: { maxGrowth: 3 } },
    { targetResolution: 144, pdf: { maxGrowth: 2 } },
    { targetResolution: 144 },
  ]);
});
