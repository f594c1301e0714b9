import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from '@jest/globals';
import { manyUploads } from '../../../test/api/support/many-uploads.ts';
import { photo } from '../../../test/e2e/files.ts';
import { poll } from '../../../test/support/poll.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { unzip } from '../../../test/support/unzip.ts';
import { expectAccessible, usePages } from './harness.ts';

const tests = usePages(async () => {
  const [before, after] = await Promise.all([photo(1), photo(2)]);
  return await manyUploads(3, [{ before, after }]);
});

const clipboardOf = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** Runs a command as a person does in a terminal, with the key in its variable. @returns its output */
async function inTerminal(command: string, cwd: string): Promise<string> {
  const env = { ...process.env, BURNISH_API_KEY: tests.instance.apiKey };
  return (await promisify(execFile)('sh', ['-c', `set -e\n${command.replace(/^curl/, 'curl -sSf')}`], { cwd, env }))
    .stdout;
}

test('a person copies ids, URLs and commands, and the commands do the same in a terminal', async () => {
  await using folder = await temporaryFolder();
  const page = await tests.open('/uploads');
  for (const number of [1, 2])
    await page.getByRole('checkbox', { name: `Select photo ${number}.jpg`, exact: true }).check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByRole('button', { name: 'Copy curl' }).click();
  await bar.getByText('Copied.').waitFor({ state: 'attached' });
  await inTerminal(await clipboardOf(page), folder.path);
  expect(Object.keys(unzip(await readFile(join(folder.path, 'burnish.zip')))).toSorted()).toEqual([
    'photo 1.jpg',
    'photo 2.jpg',
  ]);

  await bar.getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByRole('link', { name: 'photo 1.jpg', exact: true }).click();
  const facts = page.getByRole('complementary', { name: 'About this upload' });
  await facts.getByRole('button', { name: 'Copy id' }).click();
  await poll(() => clipboardOf(page)).toMatch(/^upl_\w{26}$/);
  const id = await clipboardOf(page);
  await facts.getByRole('button', { name: 'Copy curl' }).click();
  await poll(() => clipboardOf(page)).toMatch(/^curl/);
  expect(JSON.parse(await inTerminal(await clipboardOf(page), folder.path))).toMatchObject({ id });

  const enhancement = page.getByRole('article');
  await enhancement.getByRole('button', { name: 'Copy URL' }).click();
  await poll(() => clipboardOf(page)).toMatch(/\/files\/enh_\w+\/photo%201\.jpg\?token=/);
  await enhancement.getByRole('button', { name: 'Copy curl' }).click();
  await poll(() => clipboardOf(page)).toContain(`/v1/uploads/${id}/enhancements' \\\n`);
  await poll(() => clipboardOf(page)).toContain(`-d '{"enhancements":[{`);
  await expectAccessible(page);
});

test('without a clipboard, the text is shown and selected for the keyboard', async () => {
  const page = await tests.open('/uploads');
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await page.getByRole('link', { name: 'photo 2.jpg', exact: true }).click();
  await page.getByRole('complementary', { name: 'About this upload' }).getByRole('button', { name: 'Copy id' }).click();
  const dialog = page.getByRole('dialog', { name: 'Copy id' });
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByText('Selected.').waitFor();
  await poll(() => page.evaluate('String(getSelection())')).toMatch(/^upl_\w{26}$/);
  await expectAccessible(page);
});
