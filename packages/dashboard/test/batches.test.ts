import { expect, test } from '@jest/globals';
import { Burnish, type Batch } from '@burnish/client';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { until } from '../../../test/support/until.ts';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { unzip } from '../../../test/support/unzip.ts';
import { dividerOf, WORK } from './drop-files.ts';
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
  expect(order).toEqual(['decision', 'samples', 'Progress', 'items']);
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
  await other.getByText('1 file failed.').waitFor();
  const [request] = await Promise.all([
    other.waitForRequest(/\/retry$/),
    other.getByRole('button', { name: `Try ${uploadId} again` }).click(),
  ]);
  expect(request.postDataJSON()).toEqual({ keys: [uploadId] });
  const ended = async (): Promise<boolean> => {
    const { status, counts } = await batches.get(failing.id);
    return status === 'FINISHED' && counts.failed === 1;
  };
  await poll(ended, { timeout: 20_000 }).toBe(true);
  await other.getByRole('button', { name: 'Try 1 failed file again' }).click();
  await poll(ended, { timeout: 20_000 }).toBe(true);
}, 120_000);

test('the page of a batch without budget tells it, and resumes the batch with a higher budget', async () => {
  const { url: baseUrl, apiKey } = tests.instance;
  const { batches, uploads } = new Burnish({ baseUrl, apiKey });
  const order = { enhancements: [{ upscalingFactor: 'X2' as const }] as [object], samples: 0, maxCredits: 3 };
  const { id } = await batches.create({ ...order, reference: 'tight' });
  const { id: uploadId } = await uploads.create(await photo(11), { filename: 'tight.jpg' });
  await batches.add(id, [{ uploadId }]);
  await batches.close(id);
  const page = await tests.open(`/batches/${id}`);
  await page.getByText('maxCredits does not cover a further file.').waitFor({ timeout: 30_000 });
  const budget = page.getByLabel('Budget of the batch, in credits');
  await budget.fill('3');
  await page.getByText('Enter a whole number of at least 4.').waitFor();
  await expectAccessible(page);
  await budget.fill('4');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('.page-header .badge').getByText('Finished').waitFor({ timeout: 60_000 });
  expect((await batches.get(id)).chargedCredits).toBe(4);
}, 120_000);

/** A folder `shoes` with pictures at two depths, a broken one, and files that no batch takes. */
async function shoes(root: string): Promise<string> {
  const folder = join(root, 'shoes');
  await mkdir(join(folder, 'red'), { recursive: true });
  await writeFile(join(folder, 'one.jpg'), await photo(201));
  await writeFile(join(folder, 'two.jpg'), await photo(202));
  await writeFile(join(folder, 'red', 'three.jpg'), await photo(203));
  const whole = await photo(204);
  await writeFile(join(folder, 'red', 'broken.jpg'), whole.subarray(0, whole.length * 0.6));
  await writeFile(join(folder, 'notes.txt'), 'words '.repeat(9_000));
  await writeFile(join(folder, '.DS_Store'), 'words '.repeat(9_000));
  return folder;
}

test.each([
  { device: 'a desk', width: 1280, height: 800 },
  { device: 'a phone', width: 390, height: 844 },
])(
  'a folder becomes a batch on $device: sent, sampled, approved, mended, and downloaded with its folders',
  async ({ width, height }) => {
    await using root = await temporaryFolder();
    const page = await tests.open('/batches', { width, height });
    await page.getByLabel('Folder', { exact: true }).setInputFiles(await shoes(root.path));
    const form = page.getByRole('form', { name: 'New batch' });
    await form.getByRole('heading', { name: 'shoes' }).waitFor();
    await form.getByText('4 images').waitFor();
    await form.getByText('1 file cannot be enhanced').press('Enter');
    await form.getByText('shoes/notes.txt').waitFor();
    await form.getByRole('radio', { name: '2×' }).check();
    await form.getByLabel('Samples').fill('1');
    await form.getByText('16 credits', { exact: true }).waitFor();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Send, and enhance 1 sample' }).press('Enter');

    await page.getByRole('heading', { level: 1, name: 'shoes' }).waitFor();
    const approve = page.getByRole('button', { name: /^Approve 3 files for/ });
    await approve.waitFor({ timeout: 90_000 });
    const files = page.getByRole('region', { name: 'Files', exact: true });
    await files.getByText('shoes/red/three.jpg').waitFor();
    await expectAccessible(page);
    await approve.press('Enter');
    await page.locator('.page-header .badge').getByText('Finished').waitFor({ timeout: 90_000 });
    await page.reload();

    // The failed file comes first, with its remedy and the way to try it again.
    await files.getByRole('radio', { name: 'Failed 1' }).waitFor();
    await poll(() => files.getByRole('row').count()).toBe(2);
    const row = files.getByRole('row').filter({ hasText: 'shoes/red/broken.jpg' });
    await row.getByText('Open the file in another program, save it again, and send the new file.').waitFor();
    await page.getByRole('button', { name: 'Try 1 failed file again' }).waitFor();
    await expectAccessible(page);
    await files.getByRole('radio', { name: 'All 4' }).press('Space');
    await poll(() => files.getByRole('row').count()).toBe(5);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files.getByRole('link', { name: 'Download 3 results' }).press('Enter'),
    ]);
    expect(download.suggestedFilename()).toBe('shoes.zip');
    const zip = unzip(await readFile(await download.path()));
    expect(Object.keys(zip).toSorted()).toEqual(['shoes/one.jpg', 'shoes/red/three.jpg', 'shoes/two.jpg']);
  },
  240_000,
);

test('a transfer that ends early names the missing files, and the same folder sends only those', async () => {
  await using root = await temporaryFolder();
  const folder = await shoes(root.path);
  const page = await tests.open('/batches', { expecting: [/ERR_FAILED|Failed to load resource/] });
  await page.route('**/v1/uploads?filename=three.jpg*', (route) => route.abort());
  await page.getByLabel('Folder', { exact: true }).setInputFiles(folder);
  const form = page.getByRole('form', { name: 'New batch' });
  await form.getByLabel('Samples').fill('0');
  await form.getByRole('button', { name: 'Send and enhance 4 files' }).click();
  const transfer = page.getByRole('region', { name: 'Transfer' });
  await transfer.getByText('1 file could not be sent').click({ timeout: 120_000 });
  await transfer.getByText('shoes/red/three.jpg').waitFor();
  await expectAccessible(page);
  await page.unrouteAll();

  // Another page, or this one after it was closed, knows nothing of the transfer.
  await page.reload();
  await transfer.getByRole('button', { name: 'Start with 3 files' }).waitFor();
  await page.getByLabel('Folder', { exact: true }).setInputFiles(folder);
  await transfer.waitFor({ state: 'detached', timeout: 60_000 });
  await page.locator('.page-header .badge').getByText('Finished').waitFor({ timeout: 90_000 });
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  const { body } = await tests.instance.api.get<Batch>(`/v1/batches/${id}`);
  expect(body.counts).toMatchObject({ items: 4, finished: 3, failed: 1 });
}, 300_000);

test('a folder that is dropped on the first page opens as a batch, with its folders', async () => {
  const page = await tests.open('/');
  await page.getByText('Drop images and PDFs here').waitFor();
  await page.evaluate(dropFolder, (await photo(210)).toString('base64'));
  const form = page.getByRole('form', { name: 'New batch' });
  await form.getByRole('heading', { name: 'autumn' }).waitFor(WORK);
  await form.getByText('1 image,').waitFor();
  await form.getByRole('button', { name: 'Send, and enhance 1 sample' }).waitFor();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Drop a folder here').waitFor();
});

interface Dropping {
  DragEvent: new (type: string, init: object) => Event;
  File: new (parts: unknown[], name: string, options: { type: string }) => unknown;
  atob(text: string): string;
  document: { body: { dispatchEvent(event: Event): boolean } };
}

/** A drop of `autumn/red/leaf.jpg`. No script can make a folder of its own, so the entries have the shape that a browser gives them. */
function dropFolder(base64: string): void {
  const { DragEvent, File, atob, document } = globalThis as unknown as Dropping;
  const file = new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], 'leaf.jpg', {
    type: 'image/jpeg',
  });
  const leaf = {
    ...{ name: 'leaf.jpg', fullPath: '/autumn/red/leaf.jpg', isDirectory: false },
    file: (found: (each: unknown) => void) => found(file),
  };
  const directory = (name: string, fullPath: string, entries: object[]) => ({
    ...{ name, fullPath, isDirectory: true },
    createReader() {
      const parts = [entries, []];
      return { readEntries: (found: (part: object[]) => void) => found(parts.shift()!) };
    },
  });
  const autumn = directory('autumn', '/autumn', [directory('red', '/autumn/red', [leaf])]);
  const dataTransfer = { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => autumn }] };
  for (const type of ['dragenter', 'dragover', 'drop']) {
    const event = new DragEvent(type, { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
    document.body.dispatchEvent(event);
  }
}
