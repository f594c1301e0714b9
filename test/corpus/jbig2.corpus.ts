import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { allImages } from '../../packages/engine/src/pdf/analyze/list-images.ts';
import { openPdfDocument } from '@burnish/pdf';
import { decodeImage } from '../../packages/engine/src/pdf/images/image-decoder.ts';
import { readImageFacts } from '../../packages/engine/src/pdf/images/image-facts.ts';
import { corpusFolder, pdfsIn } from './expected.ts';
import { testUnless } from '../support/needs.ts';

const folder = corpusFolder();
/** pdf.js has one picture in each feature of JBIG2, as files of this name. */
const files = pdfsIn(folder).filter((name) => /(^|\/)bitmap-.*\.pdf$/.test(name));

async function hashOfPicture(path: string): Promise<string> {
  const pdf = openPdfDocument(path);
  try {
    const [image] = await allImages(pdf, {});
    const { data } = await decodeImage(pdf, readImageFacts(pdf, image!.number)!);
    return createHash('sha256').update(data).digest('hex');
  } finally {
    pdf.close();
  }
}

if (files.length < 2) testUnless('files `bitmap-*.pdf` of pdf.js in the folder')('JBIG2 is read', () => undefined);
else
  it(`one picture in ${files.length} features of JBIG2 has equal samples in all`, async () => {
    const hashes = new Map<string, string[]>();
    for (const file of files) {
      const hash = await hashOfPicture(join(folder, file));
      hashes.set(hash, [...(hashes.get(hash) ?? []), file]);
    }
    expect([...hashes.values()].toSorted((a, b) => b.length - a.length).slice(1)).toEqual([]);
  });
