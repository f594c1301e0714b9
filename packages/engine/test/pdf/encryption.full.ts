import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isDict, isString, openPdfDocument } from '@burnish/pdf';
import { analyzePdf } from '../../src/pdf/enhance/enhance.ts';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { drawnPage, lit, whiteShare } from '../support/drawn-page.ts';
import { psnr } from '../support/measure.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint, rendered } from './judges.ts';
import { encryptedPdf, WITHOUT_OWNER_PASSWORD, type Algorithm } from './encrypted-files.ts';
import { jpegImage, photograph } from './pictures.ts';
import {
  DOUBLED as doubled,
  HEIGHT,
  WIDTH,
  analyzeBytes,
  enhanceBytes,
  enhancePdf,
  parametersOf,
  samplesOf,
} from './support.ts';

const scratch = await scratchFolder();
const photo = await jpegImage(photograph(WIDTH, HEIGHT));
const encrypted = (algorithm: Algorithm, userPassword: string): Promise<Buffer> =>
  encryptedPdf(algorithm, userPassword, { ...photo, width: WIDTH, height: HEIGHT });
describe('an encrypted file without a user password', () => {
  it.each(['RC4-40', 'RC4-128', 'AES-128', 'AES-256'] as const)(
    'is read with %s, and new data is encrypted with its key',
    async (algorithm) => {
      for (const compact of [false, true]) {
        const { outputPath, inputPath, enhanced } = await enhanceBytes(
          await encrypted(algorithm, ''),
          scratch(`${algorithm}${compact}`),
          doubled,
          { compact },
        );
        expect(enhanced).toBe(1);
        const number = (await analyzeBytes(readFileSync(outputPath), scratch('again'))).facts.eligible[0]!.number;
        const [before, after] = [await samplesOf(inputPath, number), await samplesOf(outputPath, number)];
        expect([after.width, after.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
        const original = { ...photograph(WIDTH, HEIGHT), space: 'rgb' as const, hasAlpha: false };
        expect(psnr(original, before)).toBeGreaterThan(25);
        expect(qpdfComplaint(outputPath)).toBe('');
        expect(titleOf(outputPath)).toBe('A title that is encrypted');
      }
    },
  );

  // Each cipher encrypts a palette in a file that is written anew, and in an update.
  it.each([
    ['RC4-40', true],
    ['RC4-128', false],
    ['AES-128', true],
    ['AES-256', false],
  ] as const)(
    'and a scan gets a palette that is encrypted with %s, and shows the clean page',
    async (algorithm, compact) => {
      const page = lit(await drawnPage('', '#000000'), (u, v) => 0.95 - 0.3 * u - 0.15 * v);
      const data = await asSharp(page).jpeg({ quality: 85 }).toBuffer();
      const scan = await encryptedPdf(algorithm, '', { data, width: 280, height: 224 });
      const { number } = (await analyzeBytes(scan, scratch('scan'))).facts.eligible[0]!;
      const order = parametersOf({ mode: 'DOCUMENT', maxGrowth: 3, images: { [number]: { color: true } } });
      const cleaned = scratch(`scan-${algorithm}${compact}`);
      const { enhanced, outputPath } = await enhanceBytes(scan, cleaned, order, { compact });
      expect([enhanced, qpdfComplaint(outputPath)]).toEqual([1, '']);
      const pdf = openPdfDocument(outputPath);
      const { color } = readImageFacts(pdf, number)!;
      pdf.close();
      expect(color.family).toBe('indexed');
      const after = await samplesOf(outputPath, number);
      expect(after.data.every((value) => value % 17 === 0)).toBe(true);
      expect(whiteShare(await drawnPage('', '#000000'), after)).toBeGreaterThan(0.99);
      // The page is 300 points high, and the white right edge of the scan ends at 290.
      expect(Math.min(...(rendered(outputPath, 72)?.at(288, 180) ?? [255]))).toBeGreaterThan(250);
    },
  );

  it.each(['RC4-128', 'AES-128', 'AES-256'] as const)(
    'that needs one is refused with ENCRYPTED_PDF: %s',
    async (algorithm) => {
      await expect(analyzeBytes(await encrypted(algorithm, 'secret'), scratch('locked'))).rejects.toMatchObject({
        code: 'ENCRYPTED_PDF',
      });
    },
  );

  it('and with a handler other than the standard one is refused with ENCRYPTED_PDF', async () => {
    const bytes = buildPdf(onePage('', '', { 10: '<</Filter/Adobe.PubSec/V 4>>' }), { trailer: '/Encrypt 10 0 R' });
    await expect(analyzeBytes(bytes, scratch('pubsec'))).rejects.toMatchObject({ code: 'ENCRYPTED_PDF' });
  });
});

const ALGORITHMS = ['RC4-40', 'RC4-128', 'AES-128', 'AES-256'] as const;

describe('an encrypted file that needs a password', () => {
  it.each(ALGORITHMS.flatMap((each) => [[each, 'secret'] as const, [each, 'owner'] as const]))(
    'with %s is enhanced with the password "%s" and stays encrypted',
    async (algorithm, password) => {
      const [inputPath, outputPath] = [scratch(`${algorithm}.pdf`), scratch(`${algorithm}.out.pdf`)];
      writeFileSync(inputPath, await encrypted(algorithm, 'secret'));
      await expect(analyzePdf({ inputPath, password: 'wrong' })).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
      const { enhanced } = await enhancePdf({ inputPath, outputPath, parameters: doubled, password });
      expect(enhanced).toBe(1);
      expect(() => openPdfDocument(outputPath)).toThrow(expect.objectContaining({ code: 'PASSWORD_REQUIRED' }));
      expect(titleOf(outputPath, 'secret')).toBe('A title that is encrypted');
    },
  );

  it('without an owner password is read without a password', async () => {
    const bytes = Buffer.from(WITHOUT_OWNER_PASSWORD, 'base64');
    expect((await analyzeBytes(bytes, scratch('no-owner'))).facts.pages).toBe(1);
  });

  it('for its attachments only is read without a password', async () => {
    const filter = '<</CFM/AESV2/AuthEvent/EFOpen/Length 16>>';
    const entries = `/CF<</StdCF${filter}>>/EFF/StdCF/StmF/Identity/StrF/Identity/Length 128`;
    const [owner, user] = ['ab', 'cd'].map((byte) => `<${byte.repeat(32)}>`) as [string, string];
    const objects = imagePage(photo, WIDTH, HEIGHT, {
      12: `<</Filter/Standard/V 4/R 4/P -4/O${owner}/U${user}${entries}>>`,
    });
    const bytes = buildPdf(objects, { trailer: '/Encrypt 12 0 R/ID[<00><00>]' });
    const { outputPath } = await enhanceBytes(bytes, scratch('attachments'), doubled);
    expect(await samplesOf(outputPath)).toMatchObject({ width: 2 * WIDTH, height: 2 * HEIGHT });
  });
});

it.each([16, 128])('the length of a key comes from its filter, which states %i', async (length) => {
  const text = (await encrypted('RC4-128', '')).toString('latin1');
  const filter = `/CF <</StdCF <</CFM /V2 /Length ${length}>>>> /StmF /StdCF /StrF /StdCF`;
  const changed = text.replace('/V 2', `/V 4 ${filter}`).replace('/R 3', '/R 4').replace('/Length 128', '/Length 40');
  expect(changed).toContain('/V 4');
  expect((await analyzeBytes(Buffer.from(changed, 'latin1'), scratch('length'))).facts.eligible).toHaveLength(1);
});

function titleOf(path: string, password?: string): string {
  const pdf = openPdfDocument(path, password);
  const info = pdf.resolve(pdf.xref().trailer.get('Info'));
  const title = isDict(info) ? pdf.resolve(info.get('Title')) : null;
  const bytes = isString(title) ? pdf.stringBytes(title) : Buffer.alloc(0);
  pdf.close();
  // UTF-16 with its mark (ISO 32000-1 section 7.9.2.2).
  return new TextDecoder('utf-16be').decode(bytes);
}
