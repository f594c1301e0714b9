import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cardOf, dropFiles, WORK } from './drop-files.ts';
import { useDashboard } from './harness.ts';
import { poll } from '../support/poll.ts';

const tests = useDashboard();

/** A photograph that is so large that it goes by a signed address. */
async function largePhoto(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, Buffer.concat([await photo(7), Buffer.alloc(17_000_000)]));
  return path;
}

test('a large file is sent to a signed URL, and a lost connection is reported and resumed', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|Failed to load resource/] });
  await using folder = await temporaryFolder();
  await page.route('**/uploads/upl_*', (route) => route.abort(), { times: 1 });
  await page.getByLabel('Photos and PDFs').setInputFiles(await largePhoto(folder.path, 'large.jpg'));
  const card = cardOf(page, 'large.jpg');
  await card.getByText('The connection was lost while the file was sent. Check the network, and try again.').waitFor();
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
});

// It was listed as waiting for its file, until its address ended an hour later.
test('a large file that is cancelled during its upload leaves no upload', async () => {
  const page = await tests.open('/', { expecting: [/ERR_FAILED|ERR_ABORTED|Failed to load resource/] });
  await using folder = await temporaryFolder();
  const address = page.waitForRequest((request) => request.method() === 'PUT');
  // Never answered: the file stays on its way.
  await page.route('**/uploads/upl_*', () => undefined, { times: 1 });
  await page.getByLabel('Photos and PDFs').setInputFiles(await largePhoto(folder.path, 'stopped.jpg'));
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
  await dropFiles(page, [{ name: 'patient.jpg', mimeType: 'image/jpeg', buffer: await photo(8) }]);
  const card = cardOf(page, 'patient.jpg');
  await page.getByRole('button', { name: 'Enhance 1 image' }).click();
  await card.getByText('Burnish cannot be reached. Check that it is running.').waitFor(WORK);
  await page.unrouteAll();
  await card.getByText('Done', { exact: true }).waitFor(WORK);
  await poll(() => card.getByText('cannot be reached').count()).toBe(0);
});
