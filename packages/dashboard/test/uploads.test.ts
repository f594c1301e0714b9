import { describe, expect, test } from '@jest/globals';
import { pdfWithPhoto, photo, picture } from '../../../test/e2e/files.ts';
import { listenHttp } from '../../../test/support/local-server.ts';
import { expectAccessible, expectFocusOnHeading, useDashboard, WIDTHS } from './harness.ts';
import { cardOf, dividerOf, orderOf, WORK } from './drop-files.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();

/** Sends a file over the interface. @returns the id of its upload, once nothing of it runs any more */
async function sent(bytes: Buffer, filename: string, enhancements: object[] = []): Promise<string> {
  const { body } = await tests.instance.api.upload(bytes, { filename, enhancements });
  await tests.instance.api.settled(body.id);
  return body.id;
}

describe('the list of uploads', () => {
  test('is empty at first, and links to the enhancement page', async () => {
    const page = await tests.open('/uploads');
    await page.getByText('No uploads yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Enhance a first image or PDF' }).click();
    await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  });

  test('shows previews, states, failures and days of deletion in words, and searches by file name', async () => {
    const whole = await picture(900, 700).jpeg({ quality: 95 }).toBuffer();
    await sent(await photo(31), 'Summer holiday.jpg');
    await sent(await pdfWithPhoto(), 'brochure.pdf');
    await sent(whole.subarray(0, whole.length / 2), 'cut off.jpg');
    await sent(await photo(36), 'done.jpg', [{}]);
    const order = {
      filename: 'to decide on.jpg',
      enhancements: [{ upscalingFactor: 'X2' }],
      maxCredits: 1,
      reference: 'order-7',
    };
    const { body: waiting } = await tests.instance.api.upload(await photo(37), order);
    await tests.instance.api.reached(waiting.enhancements[0]!.id, 'AWAITING_APPROVAL');
    const page = await tests.open('/uploads');
    await page.getByRole('button', { name: 'List' }).click();
    const row = (name: string) =>
      page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });
    await row('Summer holiday.jpg').getByText('Ready', { exact: true }).waitFor(WORK);
    await poll(() => row('Summer holiday.jpg').innerText()).toMatch(/JPG · 400 × 300 · \d+ kB/);
    await poll(() => row('Summer holiday.jpg').innerText()).toMatch(/Kept until \w+ \d+, \d{4}/);
    for (const name of ['Summer holiday.jpg', 'brochure.pdf']) {
      const thumbnail = row(name).locator('.tile-picture img');
      await poll(
        () => thumbnail.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
        WORK,
      ).toBe(320);
    }
    await poll(() => row('brochure.pdf').innerText()).toContain('PDF · 1 page · 1 image');
    // Whoever has closed the page that it was ordered on finds here what waits for a decision.
    await row('to decide on.jpg').getByText('Waiting for your approval').waitFor(WORK);
    await row('done.jpg').getByText('Finished', { exact: true }).waitFor(WORK);
    await poll(() => row('cut off.jpg').innerText()).toContain('Open the file in another program');
    await expectAccessible(page);

    const search = page.getByRole('searchbox', { name: 'Search by file name' });
    await search.fill('HOLIDAY');
    await poll(() => row('').count(), WORK).toBe(1);
    // Whoever looks at what was found comes back to it.
    await page.getByRole('link', { name: 'Summer holiday.jpg' }).click();
    await page.getByRole('heading', { name: 'Summer holiday.jpg', level: 1 }).waitFor();
    await page.goBack();
    await poll(() => search.inputValue()).toBe('HOLIDAY');
    await poll(() => row('').count(), WORK).toBe(1);
    await row('Summer holiday.jpg').waitFor();
    await page.getByRole('link', { name: 'Uploads', exact: true }).click();
    await row('brochure.pdf').waitFor();
    await poll(() => search.inputValue()).toBe('');
    await search.fill('100%_');
    await page.getByText('No file name contains “100%_”').waitFor();
    await expectAccessible(page);
    await search.fill('');
    await row('brochure.pdf').waitFor();

    await page.getByLabel('Status').selectOption({ label: 'Failed' });
    await row('cut off.jpg').waitFor();
    await poll(() => row('').count(), WORK).toBe(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('UPLOAD_FAILED');
    const reference = page.getByRole('searchbox', { name: 'Reference' });
    await reference.fill('order-7');
    await page.getByText('No upload matches the filters').waitFor();
    await page.getByLabel('Status').selectOption({ label: 'All statuses' });
    await row('to decide on.jpg').waitFor();
    await poll(() => row('').count(), WORK).toBe(1);
    await page.reload();
    await row('to decide on.jpg').waitFor();
    await poll(() => reference.inputValue()).toBe('order-7');
    await expectAccessible(page);
  });

  test('deletes the selected uploads, after a confirmation', async () => {
    const ids = [await sent(await photo(32), 'to delete.jpg'), await sent(await photo(33), 'to delete too.jpg')];
    const page = await tests.open('/uploads');
    for (const name of ['to delete.jpg', 'to delete too.jpg'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('2 selected').waitFor();
    const remove = bar.getByRole('button', { name: 'Delete' });
    await remove.click();
    await page.getByRole('dialog').getByText('2 uploads and all their results will be deleted permanently').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'to delete.jpg' }).waitFor();
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await poll(() => page.getByRole('link', { name: /^to delete/ }).count(), WORK).toBe(0);
    await bar.waitFor({ state: 'detached' });
    await expectFocusOnHeading(page);
    for (const id of ids) {
      const { body } = await tests.instance.api.get<{ status: string }>(`/v1/uploads/${id}`);
      expect(body.status).toBe('UPLOAD_DELETED');
    }
  });

  test('leads the selected uploads to one more order', async () => {
    const done = await sent(await photo(41), 'again one.jpg', [{ mode: 'VIVID' }]);
    const fresh = await sent(await photo(42), 'again two.jpg');
    const page = await tests.open('/uploads?search=again');
    for (const name of ['again one.jpg', 'again two.jpg'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Enhance again' }).click();
    await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
    for (const name of ['again one.jpg', 'again two.jpg'])
      await cardOf(page, name).getByText('Ready to enhance').waitFor(WORK);
    await expectAccessible(page);
    await orderOf(page).getByRole('button', { name: 'Enhance 2 images' }).click();
    const counts = async (): Promise<number[]> =>
      await Promise.all(
        [done, fresh].map(
          async (id) =>
            (await tests.instance.api.get<{ enhancements: object[] }>(`/v1/uploads/${id}`)).body.enhancements.length,
        ),
      );
    await poll(counts, WORK).toEqual([2, 1]);
    for (const name of ['again one.jpg', 'again two.jpg'])
      await cardOf(page, name).getByRole('link', { name: 'Download' }).waitFor(WORK);
  });
});

describe('the page of an upload', () => {
  test('shows facts, results and the timeline', async () => {
    const id = await sent(await photo(33), 'page.jpg', [{ upscalingFactor: 'X2' }]);
    const page = await tests.open(`/uploads/${id}`);
    await dividerOf(page).waitFor(WORK);
    await poll(() => page.title()).toBe('page.jpg · Burnish');
    const timeline = page.getByRole('list').filter({ hasText: 'The upload was accepted.' });
    await timeline
      .getByText(/Finished|finished|Done/)
      .first()
      .waitFor();
    await page.getByText('4 credits').first().waitFor();
    await expectAccessible(page);
  });

  test('shows where results were written, and why one was not', async () => {
    await using receiver = await listenHttp((request, response) => {
      request.resume();
      response.writeHead(request.url!.startsWith('/refused') ? 403 : 200).end();
    });
    const enhancements = ['NATURAL', 'VIVID'].map((mode) => ({
      mode,
      destination: { url: `${receiver.url}/${mode === 'VIVID' ? 'refused' : 'results'}/one.jpg?sig=secret` },
    }));
    const id = await sent(await photo(39), 'delivered.jpg', enhancements);
    const page = await tests.open(`/uploads/${id}`);
    const delivered = page.getByRole('article', { name: 'Natural' });
    await delivered.getByText(`Written to ${receiver.url}`).waitFor(WORK);
    const refused = page.getByRole('article', { name: 'Vivid' });
    await refused.getByText('The destination answered with status 403.').waitFor(WORK);
    await refused.getByText('Finished', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('secret');
    await expectAccessible(page);
  });

  test('stops the attempts to reach a destination that is away, and keeps the result', async () => {
    await using receiver = await listenHttp((request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    const { body } = await tests.instance.api.upload(await photo(41), {
      filename: 'undelivered.jpg',
      enhancements: [{ mode: 'NATURAL', destination: { url: `${receiver.url}/one.jpg` } }],
    });
    const page = await tests.open(`/uploads/${body.id}`);
    const view = page.getByRole('article', { name: 'Natural' });
    await view.getByText('Waiting for the destination', { exact: true }).waitFor(WORK);
    await expectAccessible(page);
    await view.getByRole('button', { name: 'Stop writing' }).click();
    await view.getByText('Nothing was written to the destination: ').waitFor(WORK);
    await view.getByText('Finished', { exact: true }).waitFor();
    await dividerOf(page).waitFor(WORK);
    await poll(() => view.getByRole('button', { name: 'Stop writing' }).count()).toBe(0);
    const { enhancements } = await tests.instance.api.settled(body.id);
    expect(enhancements[0]).toMatchObject({
      status: 'FINISHED',
      destination: { status: 'FAILED', errorCode: 'DESTINATION_CANCELLED' },
    });
  });

  test('links to the preflight report of the upload and to the proof report of each result, as PDF', async () => {
    const id = await sent(await photo(38), 'reported.jpg', [{}]);
    const page = await tests.open(`/uploads/${id}`);
    await dividerOf(page).waitFor(WORK);
    for (const name of ['Preflight', 'Report']) {
      const path = await page.getByRole('link', { name, exact: true }).getAttribute('href');
      const answer = await page.request.get(new URL(path!, page.url()).href);
      expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf']);
      expect((await answer.body()).subarray(0, 5).toString()).toBe('%PDF-');
    }
  });

  test('starts an enhancement with other settings, and shows its work and result', async () => {
    const id = await sent(await photo(34), 'again.jpg', [{ mode: 'NATURAL' }]);
    const page = await tests.open(`/uploads/${id}`, { width: WIDTHS.narrow });
    await page.getByRole('button', { name: 'Enhance again' }).click();
    const form = page.getByRole('region', { name: 'Settings' });
    // It begins with what was asked for the last time.
    await poll(() => form.getByRole('radio', { name: 'Natural' }).isChecked()).toBe(true);
    await form.getByRole('radio', { name: 'Vivid' }).check();
    await form.getByRole('button', { name: 'Enhance for at most 1 credit' }).click();
    await page.getByRole('article', { name: 'Vivid colours' }).getByText('Finished', { exact: true }).waitFor(WORK);
    await poll(() => page.getByRole('article').count()).toBe(2);
    await expectAccessible(page);
  });

  test('shows running work, and cancels it', async () => {
    const bytes = await picture(3000, 2000, { seed: 2 }).jpeg().toBuffer();
    const { body } = await tests.instance.api.upload(bytes, {
      filename: 'slow.jpg',
      enhancements: [
        { upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO', artifactsDetectionRemoval: 'AUTO_AI' },
      ],
    });
    const page = await tests.open(`/uploads/${body.id}`);
    await page.getByRole('article').getByText('Processing', { exact: true }).waitFor(WORK);
    await page.getByText(/ · \d+ %/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').first().waitFor(WORK);
    await page.getByText(/reserved credits were released/).waitFor();
  });

  test('removes the message about a lost connection after the next event', async () => {
    const bytes = await picture(3000, 2000, { seed: 4 }).jpeg().toBuffer();
    const { body } = await tests.instance.api.upload(bytes, {
      filename: 'unreached.jpg',
      enhancements: [{ upscalingFactor: 'X4' }],
    });
    const page = await tests.open(`/uploads/${body.id}`, { expecting: [/ERR_FAILED/] });
    await page.getByRole('article').getByText('Processing', { exact: true }).waitFor(WORK);
    await page.route('**/cancel', (route) => route.abort());
    await page.getByRole('button', { name: 'Cancel' }).click();
    const alert = page.getByRole('alert').getByText('Burnish cannot be reached.');
    await alert.waitFor();
    await tests.instance.api.call('POST', `/v1/enhancements/${body.enhancements[0]!.id}/cancel`);
    await page.getByText('Cancelled').first().waitFor(WORK);
    await alert.waitFor({ state: 'detached' });
  });

  test('fits the window whatever its file name, which has the focus', async () => {
    const name = `${'long'.repeat(45)}.jpg`;
    await sent(await photo(36), name);
    const page = await tests.open('/uploads', { width: WIDTHS.narrow });
    await page.getByRole('link', { name }).click();
    const heading = page.getByRole('heading', { name, level: 1 });
    await heading.waitFor();
    await expectFocusOnHeading(page);
    await expectAccessible(page);
  });

  // Each held a connection for its stream of events, and the seventh window waited for ever.
  test('can be open in many windows while the dashboard still answers in another', async () => {
    const body = { filename: 'never-sent.jpg', filesize: 50_000, mimetype: 'image/jpeg' };
    const made = await tests.instance.api.call<{ id: string }>('POST', '/v1/uploads/signed', { body });
    const first = await tests.open(`/uploads/${made.body.id}`);
    const context = first.context();
    const windows = [first, ...(await Promise.all(Array.from({ length: 6 }, () => context.newPage())))];
    for (const window of windows) {
      await window.goto(`/uploads/${made.body.id}`);
      await window.getByText('Waiting for its file').waitFor();
    }
    const another = await context.newPage();
    await another.goto('/uploads');
    await another.getByRole('link', { name: 'never-sent.jpg' }).waitFor();
  });

  test('reports a deleted upload and an unknown one', async () => {
    const id = await sent(await photo(35), 'gone.jpg', [{}]);
    await tests.instance.api.call('DELETE', `/v1/uploads/${id}`);
    const page = await tests.open(`/uploads/${id}`);
    await page
      .getByText(/^Deleted$/)
      .first()
      .waitFor();
    await page.getByText('Deleted on request.').waitFor();
    await page.getByText('The result has been deleted.').waitFor();
    await expectAccessible(page);
    const nowhere = await tests.open('/uploads/upl_nothing', { expecting: [/404/] });
    await nowhere.getByText('Upload not found').waitFor();
    await expectAccessible(nowhere);
  });
});
