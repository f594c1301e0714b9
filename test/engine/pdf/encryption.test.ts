import { readFileSync } from 'node:fs';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { isDict, isString } from '../../../src/engine/pdf/objects.ts';
import { openObjectStore } from '../../../src/engine/pdf/object-store.ts';
import { psnr } from '../support/measure.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage } from './build-pdf.ts';
import { qpdfComplaint } from './judges.ts';
import { jpegImage, photograph } from './pictures.ts';
import { DOUBLED as doubled, HEIGHT, WIDTH, analyzeBytes, enhanceBytes, samplesOf } from './support.ts';

const scratch = await scratchFolder();
const photo = await jpegImage(photograph(WIDTH, HEIGHT));
describe('an encrypted file without a user password', () => {
  it.each(['RC4-40', 'RC4-128', 'AES-128', 'AES-256'] as const)(
    'with %s is read, and new data is encrypted with its key',
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

  it.each(['RC4-128', 'AES-128', 'AES-256'] as const)('needs one: ENCRYPTED_PDF (%s)', async (algorithm) => {
    await expect(analyzeBytes(await encrypted(algorithm, 'secret'), scratch('locked'))).rejects.toMatchObject({
      code: 'ENCRYPTED_PDF',
    });
  });

  it('is encrypted by a handler that is not the standard one: ENCRYPTED_PDF', async () => {
    const bytes = buildPdf(onePage('', '', { 10: '<</Filter/Adobe.PubSec/V 4>>' }), { trailer: '/Encrypt 10 0 R' });
    await expect(analyzeBytes(bytes, scratch('pubsec'))).rejects.toMatchObject({ code: 'ENCRYPTED_PDF' });
  });
});

function titleOf(path: string): string {
  const store = openObjectStore(path);
  const info = store.resolve(store.xref().trailer.get('Info'));
  const title = isDict(info) ? store.resolve(info.get('Title')) : null;
  const bytes = isString(title) ? store.stringBytes(title) : Buffer.alloc(0);
  store.close();
  // UTF-16 with its mark (ISO 32000-1 section 7.9.2.2).
  return new TextDecoder('utf-16be').decode(bytes);
}

/** A file that another program encrypted, with one JPEG at 72 pixels an inch. */
async function encrypted(
  algorithm: 'RC4-40' | 'RC4-128' | 'AES-128' | 'AES-256',
  userPassword: string,
): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.setTitle('A title that is encrypted');
  const image = await document.embedJpg(photo.data);
  document.addPage([300, 300]).drawImage(image, { x: 10, y: 10, width: WIDTH, height: HEIGHT });
  document.encrypt({ userPassword, ownerPassword: 'owner', algorithm, allowWeakCryptography: true, permissions: {} });
  return Buffer.from(await document.save());
}
