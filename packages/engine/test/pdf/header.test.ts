import { expect, it } from '@jest/globals';
import { detectMediaType } from '../../src/detect.ts';
import { buildPdf, onePage } from '../../../pdf/test/build-pdf.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';

const page = onePage('', '');
const behind = (count: number): Buffer => buildPdf(page, { before: ' '.repeat(count) });

it.each([
  ['a header in the first 1,024 bytes', behind(1019), true],
  ['a later header', behind(1020), false],
  ['no header', buildPdf(page).subarray('%PDF-1.7'.length), false],
  ['an incomplete header', Buffer.from(buildPdf(page).toString('latin1').replace('%PDF-', '%PDF '), 'latin1'), true],
])('the detection of the type and the reader agree on %s', async (_, bytes, isPdf) => {
  expect(await detectMediaType(bytes)).toBe(isPdf ? 'application/pdf' : undefined);
  if (isPdf) expect(() => openBytes(bytes)).not.toThrow();
  else expect(() => openBytes(bytes)).toThrow(/no PDF header/);
});
