import type { Locator, Page } from 'playwright-core';

/** How a person works with a page: presses, chooses and opens what a locator finds. */
export interface Way {
  /** A button or a link */
  press(target: Locator): Promise<void>;
  /** A radio button or a check box, by its place in the page */
  choose(target: Locator): Promise<void>;
  /** Presses until the file chooser opens */
  chooseFiles(page: Page, files: readonly { name: string; mimeType: string; buffer: Buffer }[]): Promise<void>;
}

const chooserOf = async (page: Page, open: () => Promise<void>) => {
  const chooser = page.waitForEvent('filechooser');
  // A round trip: a key press does not wait for the browser to watch for choosers.
  await page.evaluate('0');
  await open();
  return await chooser;
};
const addButton = (page: Page): Locator => page.getByRole('button', { name: 'Choose files' });

/** A pointer: the mouse of a desk, or the finger of a phone. */
const pointing = (act: (target: Locator) => Promise<void>): Way => ({
  press: act,
  // What looks like one control is a radio button inside of its label.
  async choose(target) {
    const label = target.locator('xpath=ancestor::label[1]');
    await act((await label.count()) > 0 ? label : target);
  },
  async chooseFiles(page, files) {
    await (await chooserOf(page, () => act(addButton(page)))).setFiles([...files]);
  },
});

export const BY_MOUSE = pointing((target) => target.click());
export const BY_TOUCH = pointing((target) => target.tap());

/** Keys that a person presses at most to get somewhere: more is not a way. */
const MOST_KEYS = 400;

/** The keyboard alone. It reaches what it presses by the Tab key, as a person without a pointer does. */
export const BY_KEYS: Way = {
  async press(target) {
    await tabTo(target);
    await target.page().keyboard.press('Enter');
  },
  async choose(target) {
    const page = target.page();
    if ((await target.getAttribute('type')) !== 'radio') {
      await tabTo(target);
      await page.keyboard.press('Space');
      return;
    }
    // The Tab key reaches the chosen one of a group, and arrows the others.
    const name = await target.getAttribute('name');
    await tabTo(page.locator(`input[type=radio][name="${name}"]:checked`));
    for (let keys = 0; !(await target.isChecked()); keys += 1) {
      if (keys === MOST_KEYS) throw new Error('Arrows do not reach the radio button.');
      await page.keyboard.press('ArrowRight');
    }
  },
  async chooseFiles(page, files) {
    await tabTo(addButton(page));
    await (await chooserOf(page, () => page.keyboard.press('Enter'))).setFiles([...files]);
  },
};

/** Presses Tab until an element has the focus. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  const page = target.page();
  for (let keys = 0; keys < MOST_KEYS; keys += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${String(target)}.`);
}
