import { join } from 'node:path';
import { test } from '@jest/globals';
import { toned, tonedPhotographs } from '../../engine/test/support/toned-photographs.ts';
import { testGateway } from '../../../test/api/support/gateway.ts';
import { uploadOf } from '../../../test/api/previews/stored-files.ts';
import { pngOf } from '../../../test/api/support/stored-photographs.ts';
import { poll } from '../../../test/support/poll.ts';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { expectAccessible, usePages } from './harness.ts';

const FINISHED = 16;
/** An engine reads and tries all pictures, milliseconds. */
const BUILD = { timeout: 90_000 };

/** A gateway with warm pictures that a person has finished, and with three that the look is tried on. */
const tests = usePages(async () => {
  const gateway = await testGateway({ dashboardFolder: join(repositoryRoot, 'dist', 'dashboard') });
  for (const [index, plain] of tonedPhotographs(FINISHED + 3, () => ({})).entries()) {
    const isFinished = index < FINISHED;
    const { width, height } = plain;
    const originalFilename = isFinished ? `finished-${index + 1}.png` : `other-${index + 1}.png`;
    const bytes = await pngOf(isFinished ? toned(plain, { warm: 1 }) : plain);
    await uploadOf(gateway, bytes, 'image/png', { width, height, originalFilename });
  }
  return { ...gateway, apiKey: gateway.key };
});

test.each([
  { device: 'a desk', width: 1280, height: 800 },
  { device: 'a phone', width: 390, height: 844 },
])(
  'on $device a person builds a look from finished pictures, sees it on others, names it, and deletes it',
  async ({ width, height }) => {
    const page = await tests.open('/looks', { width, height });
    await page.getByText('No looks yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Build a look' }).click();
    const build = page.getByRole('region', { name: 'Build a look' });
    const pictures = build.getByRole('checkbox');
    await poll(() => pictures.count()).toBe(FINISHED + 3);
    const attempt = build.getByRole('button', { name: 'Try the look' });
    const choose = (number: number): Promise<void> =>
      build.getByRole('checkbox', { name: `finished-${number}.png`, exact: true }).press('Space');
    for (let number = 1; number < FINISHED; number += 1) await choose(number);
    await build.getByText(`${FINISHED - 1} of at least ${FINISHED} pictures are chosen.`).waitFor();
    await poll(() => attempt.isDisabled()).toBe(true);
    await choose(FINISHED);
    await expectAccessible(page);
    await attempt.press('Enter');
    await build.getByText('The look has proved itself.').waitFor(BUILD);
    await poll(() => build.getByRole('slider').count()).toBe(3);
    await poll(
      async () => {
        const widths = await build
          .getByRole('img')
          .evaluateAll((all) => all.map((image) => (image as { naturalWidth?: number }).naturalWidth ?? 0));
        return widths.filter((each) => each > 0).length;
      },
      { timeout: 30_000 },
    ).toBeGreaterThanOrEqual(6);
    await expectAccessible(page);

    await build.getByLabel('Name of the look').fill('warm-evening');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'warm-evening' });
    await row.waitFor(BUILD);
    await build.waitFor({ state: 'detached' });
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Delete warm-evening' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete look' }).click();
    await page.getByText('No looks yet').waitFor();
  },
  240_000,
);
