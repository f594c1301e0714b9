import type { ByteSource } from '../syntax/byte-source.ts';
import { decodeFilters, filterChain, UnknownFilter } from '../filters/filters.ts';
import { readIndirectObject } from '../syntax/indirect-object.ts';
import { PDF_LIMITS } from '../limits.ts';
import { isName, isStream, type PdfDict, type PdfValue } from '../syntax/objects.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import type { XrefIndex } from './xref-index.ts';

/** References are unresolved until the cross-reference data is read; a cross-reference stream may not use any. */
const direct = (value: PdfValue | undefined): PdfValue => value ?? null;

/**
 * Reads a cross-reference stream (ISO 32000-1 section 7.5.8) into the index.
 * @returns its dictionary, which is also the trailer
 * @throws SyntaxFault when it is malformed; PdfError of a limit
 */
export function readXrefStream(source: ByteSource, offset: number, index: XrefIndex): PdfDict {
  const { value } = readIndirectObject(source, offset);
  const type = isStream(value) ? value.dict.get('Type') : undefined;
  if (!isStream(value) || !isName(type) || type.value !== 'XRef')
    throw new SyntaxFault('no cross-reference stream stands here');
  const { dict } = value;
  const length = dict.get('Length');
  if (typeof length !== 'number' || length < 0) throw new SyntaxFault('a cross-reference stream has no length');
  const widths = numbers(dict.get('W'));
  if (widths.length < 3 || widths.some((width) => width < 0 || width > 8))
    throw new SyntaxFault('field widths make no sense');
  const size = dict.get('Size');
  const sections = dict.has('Index') ? numbers(dict.get('Index')) : [0, typeof size === 'number' ? size : 0];

  let data: Buffer;
  try {
    const raw = source.read(value.start, Math.min(length, PDF_LIMITS.objectStreamBytes.max));
    data = decodeFilters(raw, filterChain(dict, direct), PDF_LIMITS.objectStreamBytes.max, 'objectStreamBytes').data;
  } catch (error) {
    if (error instanceof UnknownFilter) throw new SyntaxFault('a cross-reference stream has an unknown filter');
    throw error;
  }
  readEntries(data, widths as [number, number, number], sections, index);
  return dict;
}

function readEntries(data: Buffer, [w0, w1, w2]: [number, number, number], sections: number[], index: XrefIndex): void {
  const entryBytes = w0 + w1 + w2;
  if (entryBytes === 0) throw new SyntaxFault('field widths make no sense');
  let at = 0;
  for (let section = 0; section + 1 < sections.length; section += 2) {
    const [start, count] = [sections[section] as number, sections[section + 1] as number];
    for (let number = start; number < start + count && at + entryBytes <= data.length; number += 1, at += entryBytes) {
      const type = w0 === 0 ? 1 : field(data, at, w0);
      const [first, second] = [field(data, at + w0, w1), field(data, at + w0 + w1, w2)];
      if (type === 0) index.setFree(number);
      else if (type === 1) index.setOffset(number, first, second);
      else if (type === 2) index.setCompressed(number, first, second);
    }
  }
}

function field(data: Buffer, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i += 1) value = value * 256 + (data[i] as number);
  return value;
}

function numbers(value: PdfValue | undefined): number[] {
  return Array.isArray(value) ? value.filter((item): item is number => typeof item === 'number' && item >= 0) : [];
}
