import { readFileSync } from 'node:fs';
import { openByteSource } from '../syntax/byte-source.ts';
import { maskDict, replacedDict, withMask, type NewMask } from '../images/image-dict.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import type { PdfDict, PdfStream } from '../syntax/objects.ts';
import type { Output } from './output.ts';
import type { StoredData, StoredObject } from './result-file.ts';
import { writeStreamEnd, writeStreamHead, type Identity } from './write-object.ts';

/** A new mask as a separate object: another image may also use the old one. */
export type WrittenMask = NewMask & { data: StoredData };

export interface ReplacedImage {
  number: number;
  image: StoredData | undefined;
  mask: WrittenMask | undefined;
}

export function numberMasks(objects: readonly StoredObject[], from: number): ReplacedImage[] {
  let next = from;
  return objects.map(({ number, image, mask }) => ({
    number,
    image,
    mask: mask && { number: next++, stencil: mask.header.bits === 1, data: mask },
  }));
}

/**
 * Writes an image object with its new data and mask, encrypted with the document's key if the document is encrypted.
 */
export function writeImageObject(output: Output, pdf: PdfDocument, stream: PdfStream, replaced: ReplacedImage): void {
  const { number, generation } = stream;
  const { image, mask } = replaced;
  if (image) {
    const dict = (length: number): PdfDict => withMask(replacedDict(pdf, stream, image.header, length), mask);
    writeData(output, pdf, { number, generation }, dict, image);
    return;
  }
  const length = pdf.rawLength(stream);
  writeStreamHead(output, stream, withMask(stream.dict, mask).set('Length', length));
  output.copy(pdf.source, stream.start, length);
  writeStreamEnd(output);
}

export function writeMaskObject(output: Output, pdf: PdfDocument, { number, data }: WrittenMask): void {
  writeData(output, pdf, { number, generation: 0 }, (length) => maskDict(data.header, length), data);
}

function writeData(
  output: Output,
  pdf: PdfDocument,
  identity: Identity,
  dictOf: (length: number) => PdfDict,
  { path, dataStart, header: { bytes, sha256 } }: StoredData,
): void {
  if (pdf.encryption) {
    const plain = readFileSync(path).subarray(dataStart, dataStart + bytes);
    const data = pdf.encryption.encryptStream(plain, identity.number, identity.generation, sha256);
    writeStreamHead(output, identity, dictOf(data.length));
    output.write(data);
  } else {
    const source = openByteSource(path);
    try {
      writeStreamHead(output, identity, dictOf(bytes));
      output.copy(source, dataStart, bytes);
    } finally {
      source.close();
    }
  }
  writeStreamEnd(output);
}
