import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { photo } from '../../../test/e2e/files.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { cardOf, dropFiles, WORK } from './drop-files.ts';
import { useDashboard } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();

/** Eight retries take 23 seconds, and Chromium hands each body of 9 MB to the test before it is cut. */
const GIVES_UP = { timeout: 100_000 };

/** A photograph that is so large that it is sent in parts. */
async function largePhoto(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, Buffer.concat([await photo(7), Buffer.alloc(8_500_000)]));
  return path;
}

test('a large file continues by itself after lost connections', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|Failed to load resource/] });
  await using folder = await temporaryFolder();
  let cuts = 0;
  await page.route('**/v1/tus/upl_*', (route) =>
    route.request().method() === 'PATCH' && (cuts += 1) <= 2 ? route.abort() : route.continue(),
  );
  await page.getByLabel('Images and PDFs').setInputFiles(await largePhoto(folder.path, 'patient.jpg'));
  await cardOf(page, 'patient.jpg').getByText('Ready to enhance').waitFor(WORK);
  expect(cuts).toBe(3);
});

test('a large file that cannot be sent is reported, and a new attempt continues its upload', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|Failed to load resource/] });
  await using folder = await temporaryFolder();
  await page.route('**/v1/tus/upl_*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await page.getByLabel('Images and PDFs').setInputFiles(await largePhoto(folder.path, 'large.jpg'));
  const card = cardOf(page, 'large.jpg');
  const lost = 'The connection was lost while the file was sent. Check the network, and try again.';
  await card.getByText(lost).waitFor(GIVES_UP);
  await page.unrouteAll();
  await card.getByRole('button', { name: 'Try again' }).click();
  await card.getByText('Ready to enhance').waitFor(WORK);

  // What is there stays: it is only taken off this page.
  const deleted: string[] = [];
  page.on('request', (request) => request.method() === 'DELETE' && deleted.push(request.url()));
  await page.getByRole('button', { name: 'Remove large.jpg from this page' }).click();
  await poll(() => card.count()).toBe(0);
  await page.getByRole('link', { name: 'Uploads', exact: true }).click();
  await page.getByRole('link', { name: 'large.jpg', exact: true }).waitFor();
  expect(deleted).toEqual([]);
}, 200_000);

// It was listed as waiting for its file, until its deadline.
test('a large file that is cancelled during its upload leaves no upload', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|ERR_ABORTED|Failed to load resource/] });
  await using folder = await temporaryFolder();
  const address = page.waitForRequest('**/v1/tus/upl_*');
  // Never answered: the file stays on its way.
  await page.route('**/v1/tus/upl_*', () => undefined, { times: 1 });
  await page.getByLabel('Images and PDFs').setInputFiles(await largePhoto(folder.path, 'stopped.jpg'));
  const id = /upl_\w+/.exec((await address).url())![0];
  await page.getByRole('button', { name: 'Remove stopped.jpg from this page' }).click();
  const status = async () => (await tests.instance.api.get<{ status: string }>(`/v1/uploads/${id}`)).body.status;
  await poll(status).toBe('UPLOAD_DELETED');
});

// The browser went on trying to connect, and the card said for as long that the enhancement was at work.
test('a card reports that Burnish is unreachable, and continues when it is reachable again', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|Failed to load resource/] });
  let isAway = false;
  await page.route('**/v1/uploads/upl_*/events', (route) => {
    isAway = true;
    return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 600000\n\n' });
  });
  await page.route(/\/v1\/uploads\/upl_\w+$/, (route) => (isAway ? route.abort() : route.continue()));
  await dropFiles(page, [{ name: 'waiting.jpg', mimeType: 'image/jpeg', buffer: await photo(8) }]);
  const card = cardOf(page, 'waiting.jpg');
  await page.getByRole('button', { name: 'Enhance 1 image' }).click();
  await card.getByText('Burnish cannot be reached. Check that it is running.').waitFor(WORK);
  await page.unrouteAll();
  await card.getByText('Finished', { exact: true }).waitFor(WORK);
  await poll(() => card.getByText('cannot be reached').count()).toBe(0);
});
