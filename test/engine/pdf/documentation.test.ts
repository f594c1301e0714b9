import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PDF_LIMITS } from '../../../src/engine/pdf/pdf-limits.ts';

const page = readFileSync(new URL('../../../docs/pdf.md', import.meta.url), 'utf8').replace(/ +/g, ' ');

it.each(Object.entries(PDF_LIMITS))('the page on PDFs explains %s', (limit, { max, code }) => {
  expect(page).toContain(`| \`${limit}\` | ${max.toLocaleString('en')} | \`${code}\` |`);
});
