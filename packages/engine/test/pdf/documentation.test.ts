import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PDF_LIMITS } from '@burnish/pdf';
import { WORK_LIMITS } from '../../src/pdf/work-limits.ts';

const page = readFileSync(new URL('../../docs/pdf.md', import.meta.url), 'utf8').replace(/ +/g, ' ');

const limits = [
  ...Object.entries(PDF_LIMITS).map(([limit, { max }]) => ({ limit, max, code: 'PROCESSING_LIMIT' })),
  ...Object.entries(WORK_LIMITS).map(([limit, { max, code }]) => ({ limit, max, code })),
];

it.each(limits)('the page on PDFs explains $limit', ({ limit, max, code }) => {
  expect(page).toContain(`| \`${limit}\` | ${max.toLocaleString('en')} | \`${code}\` |`);
});
