import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { openPdfDocument, walkPages } from '@burnish/pdf';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { buildPdf, onePage } from './build-pdf.ts';

const readme = await readFile(join(repositoryRoot, 'packages/pdf/README.md'), 'utf8');
const loader = join(repositoryRoot, 'scripts/strip-types.mjs');

it('the program of the README turns the pages of a file', async () => {
  await using folder = await temporaryFolder();
  const [program, input, output] = ['turn.mjs', 'in.pdf', 'out.pdf'].map((file) => join(folder.path, file));
  await writeFile(program!, /```js file=turn\.mjs\n(.*?)```/s.exec(readme)![1]!);
  await writeFile(input!, buildPdf(onePage('q Q', '')));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', loader, program!, input!, output!]);
  expect(stdout).toBe('turned pages: 1\n');
  const pdf = openPdfDocument(output!);
  expect([...walkPages(pdf)].map(({ dict }) => dict.get('Rotate'))).toEqual([90]);
  pdf.close();
});

it('the README has at most 300 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(300);
});
