import { constants } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import type { PdfDocument } from '../document/pdf-document.ts';
import { isStream } from '../syntax/objects.ts';
import { sizeWith, type ObjectChanges } from './object-changes.ts';
import { openOutput } from './output.ts';
import { writeAdded, writeStream, writeValue } from './write-object.ts';
import { writeXrefStream, writeXrefTable, type WrittenEntry } from './xref-writer.ts';

/**
 * Writes an incremental update (ISO 32000-1 section 7.5.6): the original bytes, the changed objects, and a cross-reference
 * section of the file's kind. Without changes it adds nothing. All other objects keep their bytes.
 * @param pdf the opened file at `inputPath`, whose cross-reference data was not rebuilt
 */
export async function appendUpdate(
  pdf: PdfDocument,
  inputPath: string,
  outputPath: string,
  { values = new Map(), streams = new Map(), added = [] }: ObjectChanges,
): Promise<void> {
  await copyFile(inputPath, outputPath, constants.COPYFILE_FICLONE);
  // The copy inherits the permissions of the original, which may be read-only.
  await chmod(outputPath, 0o600);
  if (values.size + streams.size + added.length === 0) return;
  const { index, trailer, kind, startXref } = pdf.xref();
  const output = openOutput(outputPath, pdf.source.size + pdf.base);
  try {
    const entries = new Map<number, WrittenEntry>();
    const begin = (number: number, generation: number): void =>
      void entries.set(number, { type: 'offset', offset: output.position() - pdf.base, generation });
    output.write('\n');
    for (const [number, value] of values) {
      const entry = index.get(number);
      const generation = entry?.type === 'offset' ? entry.generation : 0;
      begin(number, generation);
      writeValue(output, pdf, { number, generation }, value);
    }
    for (const [number, change] of streams) {
      const stream = pdf.get(number);
      if (!isStream(stream)) throw new Error(`Object ${number} is no stream any more.`);
      begin(number, stream.generation);
      writeStream(output, pdf, stream, change);
    }
    for (const each of added) {
      begin(each.number, 0);
      writeAdded(output, pdf, each);
    }
    const section = { entries, trailer, size: sizeWith(pdf, added), previous: startXref };
    if (kind === 'table') writeXrefTable(output, pdf.base, section);
    else writeXrefStream(output, pdf.base, section);
  } finally {
    output.close();
  }
}
