import { expect, test } from '@jest/globals';
import { assertOwnHostedResult } from '../../../src/activities/hosted/ownership.ts';
import { photo } from '../../e2e/files.ts';
import { startFarSide } from '../../hosted/second-instance.ts';
import { until } from '../../support/until.ts';
import { useForFile } from '../../support/use-for.ts';
import { ACCOUNT, nearActivities } from './near-side.ts';

const far = useForFile(() => startFarSide());
const near = useForFile(() => nearActivities(far));
const picture = await photo(8);

test('an enhancement whose id the database has lost belongs to the enhancement that asks first', async () => {
  const { source } = await near.stored(picture, 'image/jpeg');
  const [first, second] = [near.newEnhancementId(), near.newEnhancementId()];
  const ask = (enhancementId: string) => {
    const resultKey = `${ACCOUNT}/${source.uploadId}/${enhancementId}`;
    return assertOwnHostedResult(near.deps.hostedIds, {
      enhancementId,
      remoteEnhancementId: 'lost',
      source,
      resultKey,
    });
  };
  await ask(first);
  expect(await near.deps.hostedIds.find('enhancement', 'lost')).toMatchObject({
    subjectId: first,
    accountId: ACCOUNT,
  });
  await ask(first);
  await expect(ask(second)).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
});

test('an enhancement is not started again by a workflow that lost the answer, whatever the service knows', async () => {
  const upload = await near.stored(picture, 'image/jpeg');
  const { remoteUploadId } = await near.run.placeRemoteUpload(upload);
  await until(async () => (await near.run.readRemoteUpload({ remoteUploadId })).file === 'ready' || undefined);
  const enhancementId = near.newEnhancementId();
  const job = { accountId: ACCOUNT, enhancementId, remoteUploadId, mimetype: 'image/jpeg', parameters: {} } as const;
  const first = await near.run.beginRemoteEnhancement(job);
  const calls = far.proxy.calls.length;
  expect(await near.run.beginRemoteEnhancement(job)).toEqual(first);
  expect(far.proxy.calls.slice(calls).map(({ operation }) => operation)).not.toContain('CreateEnhancedImage');
});
