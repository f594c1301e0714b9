import { nextNumber, type ChangedStream, type FilePart, type ObjectChanges, type PdfDocument } from '@burnish/pdf';
import { maskDict, replacedDict, withMask } from '../images/image-dict.ts';
import type { StoredData, StoredObject } from './result-file.ts';

/**
 * Adds the new data of images to the changes of their file. A new mask is an object of its own: another image may also
 * use the old one.
 */
export function withImages(
  pdf: PdfDocument,
  { values, added = [] }: Omit<ObjectChanges, 'streams'>,
  objects: readonly StoredObject[],
): ObjectChanges {
  const first = nextNumber(pdf) + added.length;
  const streams = new Map<number, ChangedStream>();
  const masks = objects.flatMap(({ number, mask }) => (mask ? [{ number, mask }] : []));
  const numbers = new Map(masks.map(({ number }, index) => [number, first + index]));
  for (const { number, image, mask } of objects) {
    const newMask = mask && { number: numbers.get(number)!, stencil: mask.header.bits === 1 };
    streams.set(number, {
      dict: (stream) => withMask(image ? replacedDict(pdf, stream, image.header) : stream.dict, newMask),
      ...(image && { data: toPart(image) }),
    });
  }
  const newMasks = masks.map(({ number, mask }) => ({
    number: numbers.get(number)!,
    dict: maskDict(mask.header),
    data: toPart(mask),
  }));
  return { ...(values && { values }), streams, added: [...added, ...newMasks] };
}

const toPart = ({ path, dataStart, header: { bytes } }: StoredData): FilePart => ({ path, start: dataStart, bytes });
