import { expect, test } from '@jest/globals';
import type { Batch } from '../../src/client/types.ts';
import { Burnish } from '../../src/client/burnish.ts';
import { photo } from '../e2e/files.ts';
import { poll } from '../support/poll.ts';
import { until } from '../support/until.ts';
import { expectAccessible, useDashboard } from './harness.ts';

const tests = useDashboard();

test('a person looks at the samples of a batch before and after, approves the rest once, and gets the manifest', async () => {
  const empty = await tests.open('/batches');
  await empty.getByText('No batches yet').waitFor();
  await expectAccessible(empty);

  const { url: baseUrl, apiKey } = tests.instance;
  const { batches, uploads } = new Burnish({ baseUrl, apiKey });
  const { id } = await batches.create({
    parameters: { mode: 'VIVID', upscalingFactor: 'X2' },
    samples: 2,
    maxCredits: 100,
    reference: 'autumn catalogue',
  });
  const files = await Promise.all(
    [1, 2, 3, 4].map(async (seed) => {
      const { id: uploadId } = await uploads.create(await photo(seed), { filename: `shoe-${seed}.jpg` });
      return { uploadId, key: `shoes/shoe-${seed}.jpg` };
    }),
  );
  await batches.add(id, files);
  await batches.close(id);
  const state = (status: Batch['status']): Promise<Batch> =>
    until(
      () => batches.get(id),
      (batch) => batch.status === status,
      { pauseMs: 1000 },
    );
  await state('APPROVAL_NEEDED');

  const page = await tests.open('/batches');
  await page.getByText('Waiting for your approval').waitFor();
  await page.getByRole('link', { name: 'autumn catalogue' }).click();
  await page.getByRole('heading', { level: 1, name: 'autumn catalogue' }).waitFor();
  const samples = page.getByRole('region', { name: 'Samples' });
  await poll(() => samples.getByRole('listitem').count()).toBe(2);
  // Each picture is there, before and after, and they differ.
  const shown = (): Promise<number[]> =>
    samples.getByRole('img').evaluateAll((images) =>
      images.map((image) => {
        image.scrollIntoView();
        return (image as { naturalWidth?: number }).naturalWidth ?? 0;
      }),
    );
  await poll(async () => (await shown()).filter((width) => width > 0).length, { timeout: 30_000 }).toBe(4);
  const names = await samples
    .getByRole('img')
    .evaluateAll((images) => images.map((image) => image.getAttribute('alt')));
  expect(names.map((name) => name!.replace(/\d/, 'N'))).toEqual([
    ...['shoe-N.jpg, before', 'shoe-N.jpg, after'],
    ...['shoe-N.jpg, before', 'shoe-N.jpg, after'],
  ]);
  const prediction = page.getByRole('region', { name: 'Prediction for all files' });
  const { prediction: predicted } = await batches.get(id);
  await prediction.getByText(`${predicted!.credits} credits`).waitFor();
  await prediction.getByText('none', { exact: true }).waitFor();
  await expectAccessible(page);

  await prediction.getByRole('button', { name: 'Approve 2 files' }).click();
  await prediction.waitFor({ state: 'detached' });
  const ended = await state('FINISHED');
  expect(ended.counts).toMatchObject({ finished: 4, failed: 0 });
  await page.getByText('Finished', { exact: true }).first().waitFor();
  await page.getByText(`${ended.chargedCredits} of at most 100 credits`).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Manifest' }).click();
  expect((await download).suggestedFilename()).toBe(`${id}.csv`);
  await expectAccessible(page);
}, 180_000);

test('a person pauses, resumes and cancels a batch, and tries failed files again', async () => {
  const { url: baseUrl, apiKey } = tests.instance;
  const { batches, uploads } = new Burnish({ baseUrl, apiKey });
  const { id } = await batches.create({ samples: 0, reference: 'open' });
  const page = await tests.open(`/batches/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await expectAccessible(page);

  const failing = await batches.create({ samples: 0, reference: 'failing' });
  const { id: uploadId } = await uploads.create(await photo(9), { filename: 'gone.jpg' });
  await uploads.delete(uploadId);
  await batches.add(failing.id, [{ uploadId }]);
  await batches.close(failing.id);
  const other = await tests.open(`/batches/${failing.id}`);
  await other.getByRole('button', { name: 'Try 1 failed file again' }).click();
  await poll(async () => (await batches.get(failing.id)).counts.failed, { timeout: 20_000 }).toBe(1);
}, 120_000);
