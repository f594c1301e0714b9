import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PDF_LIMITS } from '../../../src/engine/pdf/pdf-limits.ts';

const page = readFileSync(new URL('../../../docs/pdf.md', import.meta.url), 'utf8').replace(/ +/g, ' ');

it.each(Object.entries(PDF_LIMITS))('the page on PDFs explains %s', (limit, { max, code }) => {
  expect(page).toContain(`| \`${limit}\` | ${max.toLocaleString('en')} | \`${code}\` |`);
});

const proofs = /## Proofs\n(.*?)\n## /su.exec(page)![1]!;
const tests = [...new Set([...proofs.matchAll(/`([a-z][a-z/-]+)`/gu)].map(([, name]) => name!))];

it.each(tests)('the page on PDFs names the test file %s, which exists', (name) => {
  const folder = name.includes('/') ? '../../' : './';
  expect(existsSync(new URL(`${folder}${name}.test.ts`, import.meta.url))).toBe(true);
});
