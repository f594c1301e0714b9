import { expect, test } from '@jest/globals';
import { Burnish, type Batch } from '@burnish/client';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { until } from '../../../test/support/until.ts';
import { dividerOf } from './drop-files.ts';
import { expectAccessible, expectFocusOnHeading, useDashboard } from './harness.ts';

const tests = useDashboard();

test('a person looks at the samples of a batch before and after, approves the rest once, and gets the manifest', async () => {
  const empty = await tests.open('/batches');
  await empty.getByText('No batches yet').waitFor();
  await expectAccessible(empty);

  const { url: baseUrl, apiKey } = tests.instance;
  const { batches, uploads } = new Burnish({ baseUrl, apiKey });
  const { id } = await batches.create({
    enhancements: [{ mode: 'VIVID', upscalingFactor: 'X2' }],
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
  // The decision comes first, then the samples, then the numbers.
  const { prediction: predicted, chargedCredits } = await batches.get(id);
  const decision = page.getByRole('region', { name: 'Approve the other 2 files?' });
  const order = await page
    .locator('main section')
    .evaluateAll((sections) =>
      sections.map((section) => section.getAttribute('aria-labelledby') ?? section.getAttribute('aria-label')),
    );
  expect(order).toEqual(['decision', 'samples', 'Progress']);
  const price = predicted!.credits - chargedCredits;
  expect(price).toBeGreaterThan(0);
  await decision.getByText('none', { exact: true }).waitFor();
  await decision.getByText(`the batch costs ${predicted!.credits} credits, and never more than 100 credits`).waitFor();
  await expectAccessible(page);

  // On a desk the button and the first pair are seen without scrolling.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate('scrollTo(0, 0)');
  const approve = decision.getByRole('button', { name: `Approve 2 files for ${price} credits`, exact: true });
  for (const element of [approve, samples.getByRole('img').first()]) {
    const { y, height } = (await element.boundingBox())!;
    expect(y >= 0 && y + height <= 800).toBe(true);
  }

  // A sample opens the comparison, which leads to the other one and back to where it was opened.
  const compare = samples.getByRole('button', { name: /^Compare shoe-\d\.jpg before and after$/ });
  await compare.first().click();
  const dialog = page.getByRole('dialog');
  await dividerOf(dialog).waitFor();
  const first = await dialog.getByRole('heading', { level: 2 }).innerText();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await poll(() => dialog.getByRole('heading', { level: 2 }).innerText()).not.toBe(first);
  await dividerOf(dialog).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await poll(() => compare.first().evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);

  await approve.click();
  await decision.waitFor({ state: 'detached' });
  await expectFocusOnHeading(page);
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
  const { id } = await batches.create({ enhancements: [{}], samples: 0, reference: 'open' });
  const page = await tests.open(`/batches/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await expectAccessible(page);

  const failing = await batches.create({ enhancements: [{}], samples: 0, reference: 'failing' });
  const { id: uploadId } = await uploads.create(await photo(9), { filename: 'gone.jpg' });
  await uploads.delete(uploadId);
  await batches.add(failing.id, [{ uploadId }]);
  await batches.close(failing.id);
  const other = await tests.open(`/batches/${failing.id}`);
  await other.getByRole('button', { name: 'Try 1 failed file again' }).click();
  await poll(async () => (await batches.get(failing.id)).counts.failed, { timeout: 20_000 }).toBe(1);
}, 120_000);
