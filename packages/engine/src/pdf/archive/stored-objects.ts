import { deflateSync } from 'node:zlib';
import {
  findReachable,
  isDict,
  isImageFilter,
  isKnownFilter,
  isStream,
  name,
  type PdfDict,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';
import { yieldToEvents, type Run } from '../run.ts';
import { addObstacle, dropKeys, type ArchivePass } from './archive-pass.ts';
import { isWithinLimits } from './content-checker.ts';

/**
 * Checks how all objects of a document are stored, whatever they mean: streams in allowed encodings and inside of the file, values within
 * limits, and no embedded files (ISO 19005-2 sections 6.1.7, 6.1.13 and 6.8). Data in LZW are encoded again.
 */
export async function checkStoredObjects(pass: ArchivePass, run: Run): Promise<void> {
  pass.page = undefined;
  const live = await findReachable(pass.pdf, run);
  for (let number = 1, done = 0; number < live.length; number += 1) {
    if (live[number] !== 1) continue;
    if ((done += 1) % 256 === 0) await yieldToEvents(run);
    const value = pass.pdf.get(number);
    const isXref = isStream(value) && isTyped(value, 'XRef', 'ObjStm');
    if (!isWithinLimits(isStream(value) ? value.dict : value)) addObstacle(pass, 'limits');
    if (hasEmbeddedFile(pass, isStream(value) ? value.dict : value)) addObstacle(pass, 'embedded-file');
    if (isStream(value) && !isXref) checkStream(pass, number);
    else if (isStream(value) && usesLzw(pass, value)) addObstacle(pass, 'unknown-filter');
    // Metadata of a part may have properties without a definition, which PDF/A forbids (section 6.6.2.3).
    const part = isStream(value) || isDict(value) ? (isStream(value) ? value.dict : value) : undefined;
    if (part?.has('Metadata')) dropMetadata(pass, number);
  }
}

function dropMetadata(pass: ArchivePass, number: number): void {
  const copy = pass.objects.get(number);
  const dict = isStream(copy) ? copy.dict : copy;
  if (!isDict(dict)) return;
  const metadata = pass.objects.resolve(dict.get('Metadata'));
  if (isStream(metadata) && isTyped(metadata, 'Metadata')) dropKeys(pass, dict, ['Metadata']);
}

const isTyped = ({ dict }: PdfStream, ...types: string[]): boolean => {
  const type = dict.get('Type');
  return typeof type === 'object' && type !== null && 'value' in type && types.includes(String(type.value));
};

const usesLzw = ({ pdf }: ArchivePass, stream: PdfStream): boolean =>
  pdf.filters(stream).some(({ filter }) => filter === 'LZWDecode');

function checkStream(pass: ArchivePass, number: number): void {
  const stream = pass.objects.get(number);
  if (!isStream(stream)) return;
  const { dict } = stream;
  if (dict.has('F') || dict.has('FFilter') || dict.has('FDecodeParms')) addObstacle(pass, 'external-stream');
  const filters = pass.pdf.filters(stream).map(({ filter }) => filter);
  if (!filters.every((filter) => isKnownFilter(filter) && filter !== 'Crypt')) addObstacle(pass, 'unknown-filter');
  if (!filters.includes('LZWDecode')) return;
  const last = pass.pdf.filters(stream).at(-1)!;
  const isImage = isImageFilter(last.filter);
  pass.objects.edit(dict);
  for (const key of ['Filter', 'DecodeParms', 'DP']) dict.delete(key);
  dict.set('Filter', name(isImage ? last.filter : 'FlateDecode'));
  if (isImage && last.parameters.size > 0) dict.set('DecodeParms', last.parameters);
  pass.objects.replaceData(stream, () => {
    const { data } = pass.pdf.decode(pass.pdf.get(number) as PdfStream, 'imageBytes');
    return isImage ? data : deflateSync(data);
  });
}

/** Whether a value has a file specification with data (ISO 32000-1 section 7.11.4). */
function hasEmbeddedFile(pass: ArchivePass, value: PdfValue): boolean {
  if (Array.isArray(value)) return value.some((item) => hasEmbeddedFile(pass, item));
  if (!isDict(value)) return false;
  return isFileWithData(pass, value) || [...value.values()].some((item) => hasEmbeddedFile(pass, item));
}

const isFileWithData = ({ pdf }: ArchivePass, dict: PdfDict): boolean =>
  dict.has('EF') && isDict(pdf.resolve(dict.get('EF')));
