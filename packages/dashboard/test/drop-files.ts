import type { Locator, Page } from 'playwright-core';

/** The engine takes as long as it takes, in milliseconds. */
export const WORK = { timeout: 45_000 };

export interface DroppedFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** The window of a page, as far as a drop needs it. */
interface InPage {
  DataTransfer: new () => { items: { add(file: unknown): void } };
  File: new (parts: unknown[], name: string, options: { type: string }) => unknown;
  DragEvent: new (type: string, init: object) => Event;
  atob(text: string): string;
  document: { body: { dispatchEvent(event: Event): boolean } };
}

/** Drops files on a page, as from the desktop: they are carried in, over it, and let go. */
export async function dropFiles(page: Page, files: readonly DroppedFile[]): Promise<void> {
  await page.getByText('Drop images and PDFs here').waitFor();
  const carried = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString('base64') }));
  await page.evaluate((given) => {
    const { DataTransfer, File, DragEvent, atob, document } = globalThis as unknown as InPage;
    const dataTransfer = new DataTransfer();
    for (const { name, mimeType, base64 } of given) {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    for (const type of ['dragenter', 'dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, carried);
}

/** The card of a file on the page where files are enhanced. */
export const cardOf = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Files' }).getByRole('listitem', { name, exact: true });

/** The bar with the price and the button of an order of images. */
export const orderOf = (page: Page): Locator => page.getByRole('region', { name: 'Order', exact: true });

/** The divider of a comparison. */
export const dividerOf = (place: Page | Locator): Locator =>
  place.getByRole('slider', { name: 'Divider between before and after' });
