import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PDF_LIMITS } from '@burnish/pdf';
import { WORK_LIMITS } from '../../src/pdf/work-limits.ts';

const page = readFileSync(new URL('../../docs/pdf.md', import.meta.url), 'utf8').replace(/ +/g, ' ');

const limits = [
  ...Object.entries(PDF_LIMITS).map(([limit, { max }]) => ({ limit, max, code: 'PROCESSING_LIMIT' })),
  ...Object.entries(WORK_LIMITS).map(([limit, { max, code }]) => ({ limit, max, code })),
];

it.each(limits)('the page on PDFs explains $limit', ({ limit, max }) => {
  expect(page).toContain(`| \`${limit}\` | ${max.toLocaleString('en')} |`);
});

it('the page on PDFs has the code of each limit', () => {
  const others = limits.filter(({ code }) => code !== 'PROCESSING_LIMIT');
  const named = others.map(({ limit }) => `\`${limit}\``).join(' and ');
  expect(new Set(others.map(({ code }) => code))).toEqual(new Set(['TOO_MANY_PIXELS']));
  expect(page).toContain(`\`PROCESSING_LIMIT\`, or with \`TOO_MANY_PIXELS\` for ${named}.`);
});
