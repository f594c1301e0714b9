import { constants } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import type { PdfDocument } from '../document/pdf-document.ts';
import { isStream } from '../syntax/objects.ts';
import type { ObjectChanges } from './object-changes.ts';
import { openOutput } from './output.ts';
import type { StoredObject } from './result-file.ts';
import { numberMasks, writeImageObject, writeMaskObject } from './write-image.ts';
import { writeAddedStream, writeValue } from './write-object.ts';
import { writeXrefStream, writeXrefTable, type WrittenEntry } from './xref-writer.ts';

/**
 * Writes an incremental update (ISO 32000-1 section 7.5.6): the original bytes, the changed images, and a
 * cross-reference section of the file's kind. Without changed images it adds nothing. Text, forms, links and tags keep
 * their bytes.
 */
export async function appendUpdate(
  pdf: PdfDocument,
  inputPath: string,
  outputPath: string,
  objects: readonly StoredObject[],
  changes: ObjectChanges,
): Promise<void> {
  await copyFile(inputPath, outputPath, constants.COPYFILE_FICLONE);
  // The copy inherits the permissions of the original, which is read-only.
  await chmod(outputPath, 0o600);
  if (objects.length === 0) return;
  const { index, trailer, kind, startXref } = pdf.xref();
  const output = openOutput(outputPath, pdf.source.size + pdf.base);
  try {
    const entries = new Map<number, WrittenEntry>();
    output.write('\n');
    const declared = trailer.get('Size');
    let size = Math.max(changes.next, typeof declared === 'number' ? declared : 0);
    const here = (generation: number): WrittenEntry => ({
      type: 'offset',
      offset: output.position() - pdf.base,
      generation,
    });
    for (const [number, value] of changes.replaced) {
      const entry = index.get(number);
      const generation = entry?.type === 'offset' ? entry.generation : 0;
      entries.set(number, here(generation));
      writeValue(output, { number, generation }, value);
    }
    for (const stream of changes.added) {
      entries.set(stream.number, here(0));
      writeAddedStream(output, stream);
    }
    for (const replaced of numberMasks(objects, size)) {
      const stream = pdf.get(replaced.number);
      if (!isStream(stream)) throw new Error(`Object ${replaced.number} is no image any more.`);
      entries.set(stream.number, here(stream.generation));
      writeImageObject(output, pdf, stream, replaced);
      if (replaced.mask === undefined) continue;
      size += 1;
      entries.set(replaced.mask.number, here(0));
      writeMaskObject(output, pdf, replaced.mask);
    }
    const section = { entries, trailer, size, previous: startXref };
    if (kind === 'table') writeXrefTable(output, pdf.base, section);
    else writeXrefStream(output, pdf.base, section);
  } finally {
    output.close();
  }
}
