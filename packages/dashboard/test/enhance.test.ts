import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { heic, photo, picture, scannedPage } from '../../../test/e2e/files.ts';
import { listenHttp } from '../../../test/support/local-server.ts';
import { cardOf, dividerOf, dropFiles, orderOf, WORK, type DroppedFile } from './drop-files.ts';
import { expectAccessible, expectFocusOnHeading, useDashboard, WIDTHS } from './harness.ts';
import { poll } from '../../../test/support/poll.ts';

const tests = useDashboard();
const jpegFile = (name: string, buffer: Buffer): DroppedFile => ({ name, mimeType: 'image/jpeg', buffer });
const enhanceButton = { name: /^Enhance \d+ images?$/ };

describe('a photograph in the dashboard', () => {
  test('can be dropped, priced, enhanced, compared and downloaded', async () => {
    const page = await tests.open('/');
    await page.getByText('Drop images and PDFs here').waitFor();
    await expectAccessible(page);
    await dropFiles(page, [jpegFile('harbour.jpg', await photo(1))]);
    const card = cardOf(page, 'harbour.jpg');
    await card.getByText('Ready to enhance').waitFor(WORK);

    const settings = page.getByRole('form', { name: 'Settings for images' });
    await orderOf(page).getByText('At most 1 credit', { exact: true }).waitFor();
    await settings.getByRole('radio', { name: '2×' }).check();
    await orderOf(page).getByText('4 credits', { exact: true }).waitFor();
    await orderOf(page).getByText('100,000 credits left').waitFor();
    await expectAccessible(page);

    await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
    await dividerOf(card).waitFor(WORK);
    await card.getByText('Finished', { exact: true }).waitFor(WORK);
    await poll(() => card.getByText(/800 × 600 pixels/).innerText()).toContain('JPG');
    await expectAccessible(page);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^harbour.*\.jpg$/);
    expect(await sharp(await readFile(await download.path())).metadata()).toMatchObject({ width: 800, height: 600 });
  });

  test('can be enlarged strictly, which leaves no other change to choose', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [jpegFile('document.jpg', await photo(7))]);
    const card = cardOf(page, 'document.jpg');
    await card.getByText('Ready to enhance').waitFor(WORK);
    const settings = page.getByRole('form', { name: 'Settings for images' });
    const strict = settings.getByLabel('Strictly faithful');
    await strict.waitFor({ state: 'detached' });
    await settings.getByLabel('Reduce noise').check();
    await settings.getByRole('radio', { name: '2×' }).check();
    await strict.check();
    await settings.getByLabel('Reduce noise').waitFor({ state: 'detached' });
    await settings.getByRole('radio', { name: 'Vivid' }).waitFor({ state: 'detached' });
    await orderOf(page).getByText('4 credits', { exact: true }).waitFor();
    await expectAccessible(page);
    await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
    await card.getByText('Finished', { exact: true }).waitFor(WORK);
    await card.getByText('Changes', { exact: true }).click();
    await card.getByText(/^Reduced again, the result differs from the original by at most/).waitFor();
  });

  test('can be given a printed size, which replaces a size in pixels and a factor', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [jpegFile('poster.jpg', await photo(9))]);
    const card = cardOf(page, 'poster.jpg');
    await card.getByText('Ready to enhance').waitFor(WORK);
    const settings = page.getByRole('form', { name: 'Settings for images' });
    const resolution = settings.getByLabel('Resolution in DPI');
    await resolution.waitFor({ state: 'detached' });
    await settings.getByText('Exact size').click();
    await settings.getByLabel('Width in pixels').fill('500');
    await settings.getByLabel('Width in cm').waitFor({ state: 'detached' });
    await settings.getByLabel('Width in pixels').fill('');
    await settings.getByLabel('Width in cm').fill('2.5');
    await settings.getByLabel('Width in pixels').waitFor({ state: 'detached' });
    await settings.getByRole('radio', { name: 'Fit inside' }).waitFor({ state: 'detached' });
    await settings.getByRole('radio', { name: '2×' }).check();
    await resolution.waitFor({ state: 'detached' });
    await settings.getByRole('radio', { name: 'As it is' }).last().check();
    await settings.getByText('Exact size').click();
    await settings.getByLabel('Width in cm').fill('2.5');
    await settings.getByLabel('Height in cm').fill('2');
    await settings.getByRole('radio', { name: 'Cut off' }).check();
    await resolution.fill('400');
    await expectAccessible(page);
    await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
    await card.getByText('Finished', { exact: true }).waitFor(WORK);
    await card.getByText(/^394 × 315 pixels · JPG/).waitFor();
    await card.getByText('Changes', { exact: true }).click();
    await card.getByText('Print size: 2.5 × 2.0 cm at 400 DPI.').waitFor();
  });

  test('of a page can be cleaned, which the price, the notes and the summary say', async () => {
    const page = await tests.open('/');
    await dropFiles(page, [jpegFile('contract.jpg', await scannedPage())]);
    const card = cardOf(page, 'contract.jpg');
    await card.getByText('Ready to enhance').waitFor(WORK);
    const settings = page.getByRole('form', { name: 'Settings for images' });
    await settings.getByRole('radio', { name: 'Scan or photographed page' }).check();
    await orderOf(page).getByText('At most 1 credit', { exact: true }).waitFor();
    await expectAccessible(page);
    await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
    await card.getByText('Finished', { exact: true }).waitFor(WORK);
    await card.getByText('Changes', { exact: true }).click();
    await card.getByText('The paper was made white and even, and the ink dark.').waitFor();
    await page.goto(new URL('/uploads', page.url()).href);
    await page.getByRole('link', { name: 'contract.jpg' }).first().click();
    await page
      .getByText(/cleaned as a page/i)
      .first()
      .waitFor();
  });

  test('with transparency warns before the order of a format that does not keep it', async () => {
    const page = await tests.open('/');
    const buffer = await picture(400, 300).ensureAlpha(0.5).webp({ quality: 95 }).toBuffer();
    await dropFiles(page, [{ name: 'cut-out.webp', mimeType: 'image/webp', buffer }]);
    await cardOf(page, 'cut-out.webp').getByText('Ready to enhance').waitFor(WORK);
    const settings = page.getByRole('form', { name: 'Settings for images' });
    const warning = orderOf(page).getByText('The transparency of 1 image will be replaced by white.');
    await warning.waitFor({ state: 'detached' });
    await settings.getByText('Engine and file format').click();
    await settings.getByRole('radio', { name: 'JPEG' }).check();
    await warning.waitFor();
    await expectAccessible(page);
    await settings.getByRole('radio', { name: 'WEBP' }).check();
    await warning.waitFor({ state: 'detached' });
  });

  test('of a type that browsers cannot show has a preview', async () => {
    const page = await tests.open('/');
    await page
      .getByLabel('Images and PDFs')
      .setInputFiles({ name: 'phone.heic', mimeType: 'image/heic', buffer: await heic() });
    const card = cardOf(page, 'phone.heic');
    await card.getByText('Ready to enhance').waitFor(WORK);
    await poll(() => card.locator('.thumbnail img').evaluate(widthOf), WORK).toBe(128);
    await page.getByRole('button', enhanceButton).click();
    await dividerOf(card).waitFor(WORK);
    await poll(() => card.getByRole('img', { name: 'phone.heic, before' }).evaluate(widthOf), WORK).toBe(128);
  });

  test('can come from the clipboard, and from a URL that is pasted or typed', async () => {
    const bytes = await photo(3);
    await using server = await listenHttp((_req, res) => res.setHeader('content-type', 'image/jpeg').end(bytes));
    const page = await tests.open('/');
    const field = page.getByLabel('URL of a file');
    await field.fill('not an address');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('A URL starts with https:// or http://.').waitFor();
    await field.fill(`${server.url}/typed.jpg`);
    await page.getByRole('button', { name: 'Add' }).click();
    await cardOf(page, 'typed.jpg').getByText('Ready to enhance').waitFor(WORK);

    await page.getByRole('heading', { level: 1 }).focus();
    await page.evaluate((text) => {
      const { DataTransfer, ClipboardEvent, document } = globalThis as unknown as Pasting;
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, `${server.url}/pasted.jpg`);
    await cardOf(page, 'pasted.jpg').getByText('Ready to enhance').waitFor(WORK);
    await page.getByRole('button', { name: 'Enhance 2 images' }).waitFor();
  });
});

test('a URL with percent signs that encode nothing is sent unchanged', async () => {
  const page = await tests.open('/');
  await page.getByLabel('URL of a file').fill('http://127.0.0.1:1/100%.jpg');
  await page.getByRole('button', { name: 'Add' }).click();
  await cardOf(page, '100%.jpg').waitFor();
});

test('closing the page during an upload asks for confirmation', async () => {
  const page = await tests.open('/');
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/v1/uploads?filename=*', async (route) => {
    await held;
    await route.continue();
  });
  await dropFiles(page, [jpegFile('on-its-way.jpg', await photo(10))]);
  await page.getByRole('button', { name: 'Enhance 1 image' }).click();
  await page.getByText('Keep this page open until all files are sent and ordered.').waitFor();
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  goOn();
  await cardOf(page, 'on-its-way.jpg').getByText('Finished', { exact: true }).waitFor(WORK);
  await page.getByText('You can close this page').waitFor();
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
});

describe('several files in the dashboard', () => {
  test('become a queue of cards, are enhanced in parallel, and remain after the page is closed', async () => {
    const page = await tests.open('/', { width: WIDTHS.narrow });
    const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'];
    await dropFiles(page, await Promise.all(names.map(async (name, index) => jpegFile(name, await photo(20 + index)))));
    await page.getByRole('button', { name: 'Enhance 5 images' }).click();
    for (const name of names) await cardOf(page, name).getByText('Finished', { exact: true }).waitFor(WORK);
    await expectAccessible(page);

    // A look at another page of the dashboard does not clear this one.
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Credits' }).click();
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    await page.goBack();
    await cardOf(page, 'e.jpg').getByText('Finished', { exact: true }).waitFor(WORK);
    await page.goto('/uploads');
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
  });

  test('of wrong types are refused in words before they are sent', async () => {
    const page = await tests.open('/');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await dropFiles(page, [
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.alloc(40_000, 'words ') },
      jpegFile('lying.jpg', Buffer.alloc(40_000, 'words ')),
      jpegFile('tiny.jpg', await picture(40, 40).jpeg().toBuffer()),
      jpegFile('empty.jpg', Buffer.alloc(0)),
    ]);
    const refusal = (name: string) => cardOf(page, name).getByRole('alert').innerText();
    await poll(() => refusal('notes.txt')).toContain('Send a JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF.');
    await poll(() => refusal('lying.jpg')).toContain('Send a JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF.');
    await poll(() => refusal('tiny.jpg')).toMatch(/^An image needs at least 20 kB; this one has \d+/);
    await poll(() => refusal('empty.jpg')).toBe('The file is empty.');
    expect(sent).toEqual([]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove notes.txt from this page' }).click();
    await poll(() => cardOf(page, 'notes.txt').count(), WORK).toBe(0);
    await expectFocusOnHeading(page);
  });

  test('that are broken name the fault and the remedy', async () => {
    const page = await tests.open('/');
    const whole = await picture(900, 700).jpeg({ quality: 95 }).toBuffer();
    await dropFiles(page, [jpegFile('cut.jpg', whole.subarray(0, whole.length / 2))]);
    const said = cardOf(page, 'cut.jpg').getByRole('alert');
    await said.waitFor(WORK);
    await poll(() => said.innerText()).toContain(
      'Open the file in another program, save it again, and send the new file.',
    );
  });
});

// The form was gone for a moment when a file had arrived and its record was not read yet: what was open in it closed, and who had just
// pressed “Enhance 5 images” had three of them enhanced.
test('the settings remain open and count every image while a sent file is not read yet', async () => {
  const page = await tests.open('/');
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const record = /\/v1\/uploads\/upl_[^/?]+$/;
  await page.route(record, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(record);
  const form = page.getByRole('form', { name: 'Settings for images' });
  await dropFiles(page, [jpegFile('arriving.jpg', await photo(9))]);
  await form.getByText('Engine and file format').click();
  await asked;
  await poll(() => form.getByRole('radio', { name: 'PNG' }).isVisible()).toBe(true);
  await orderOf(page).getByRole('button', { name: 'Enhance 1 image' }).click();
  goOn();
  await cardOf(page, 'arriving.jpg').getByText('Finished', { exact: true }).waitFor(WORK);
});

test('settings without effect cannot be ordered, and every setting has its section', async () => {
  const page = await tests.open('/');
  await dropFiles(page, [jpegFile('settings.jpg', await photo(8))]);
  const form = page.getByRole('form', { name: 'Settings for images' });
  await form.getByRole('radio', { name: 'As it is' }).first().check();
  await orderOf(page).getByText('Choose the settings first.').waitFor();
  await poll(() => orderOf(page).getByRole('button', enhanceButton).isDisabled()).toBe(true);
  await form.getByRole('checkbox', { name: /Reduce noise/ }).check();
  await form.getByRole('slider', { name: 'Strength' }).fill('0.8');
  await form.getByText('Engine and file format').click();
  await form.getByRole('radio', { name: 'PNG' }).check();
  await form.getByRole('checkbox', { name: /Keep camera metadata/ }).uncheck();
  await expectAccessible(page);
  await orderOf(page).getByRole('button', enhanceButton).click();
  const card = cardOf(page, 'settings.jpg');
  await card.getByText('Finished', { exact: true }).waitFor(WORK);
  await card.getByRole('heading', { name: 'Colours as they are, less noise, as PNG' }).waitFor();
  const { body } = await tests.instance.api.get<{ items: { parameters: object }[] }>('/v1/enhancements?limit=1');
  expect(body.items[0]!.parameters).toEqual({
    mode: 'OFF',
    noiseReductionProfilingMode: 'AUTO',
    noiseReductionProfilingStrength: 0.8,
    outputFormat: 'PNG',
    keepMetadata: false,
  });
});

interface Pasting {
  DataTransfer: new () => { setData(type: string, text: string): void };
  ClipboardEvent: new (type: string, init: object) => Event;
  document: { body: { dispatchEvent(event: Event): boolean } };
}

const widthOf = (image: unknown): number => (image as { naturalWidth: number }).naturalWidth;

test('settings can be saved as a preset, which later orders choose and show', async () => {
  const page = await tests.open('/');
  await dropFiles(page, [jpegFile('first.jpg', await photo(31))]);
  const settings = page.getByRole('form', { name: 'Settings for images' });
  await settings.getByRole('radio', { name: '2×' }).check();
  await settings.getByText('Save as preset').click();
  await settings.getByLabel('Name of the preset').fill('web');
  // Enter saves, and orders nothing.
  await settings.getByLabel('Name of the preset').press('Enter');
  await settings.getByText('These settings are the preset web, version 1.').waitFor();
  const preset = settings.getByLabel('Preset', { exact: true });
  await poll(() => preset.inputValue()).toBe('web');
  await expectAccessible(page);
  await settings.getByRole('radio', { name: '4×' }).check();
  await poll(() => preset.inputValue()).toBe('');
  await preset.selectOption('web');
  await poll(() => settings.getByRole('radio', { name: '2×' }).isChecked()).toBe(true);
  await cardOf(page, 'first.jpg').getByText('Ready to enhance').waitFor(WORK);
  await orderOf(page).getByRole('button', enhanceButton).click();
  await cardOf(page, 'first.jpg').getByText('Finished', { exact: true }).waitFor(WORK);
  await page.goto(new URL('/uploads', page.url()).href);
  await page.getByRole('link', { name: 'first.jpg' }).first().click();
  await page.getByText(/ · preset web@1$/).waitFor();
});
