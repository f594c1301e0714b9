import type { ByteSource } from '../syntax/byte-source.ts';
import { parseInWindow } from '../syntax/indirect-object.ts';
import { assertWithin } from '../pdf-error.ts';
import type { PdfDict } from '../syntax/objects.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import { createXrefIndex, type XrefIndex } from './xref-index.ts';
import { readXrefStream } from './xref-stream.ts';
import { readXrefTable } from './xref-table.ts';

export interface Xref {
  index: XrefIndex;
  /** Trailer of the newest section */
  trailer: PdfDict;
  /** Form of the newest section; an update must use the same form */
  kind: 'table' | 'stream';
  /** Offset of the newest section, bytes */
  startXref: number;
}

interface XrefSection extends Pick<Xref, 'trailer' | 'kind'> {
  /** Numbers of the free entries, recorded only after the hybrid's stream was read */
  free: number[];
}

const TAIL_BYTES = 2048;

/**
 * Reads the cross-reference data from the newest section to the oldest: tables, streams and hybrids of both.
 * @throws SyntaxFault when it is broken and needs a rebuild; PdfError of a limit
 */
export function readXref(source: ByteSource): Xref {
  const startXref = readStartXref(source);
  const index = createXrefIndex();
  const seen = new Set<number>();
  let newest: XrefSection | undefined;
  for (let next: number | undefined = startXref; next !== undefined && !seen.has(next);) {
    seen.add(next);
    assertWithin('xrefSections', seen.size);
    const section: XrefSection = readSection(source, next, index);
    newest ??= section;
    const hybrid = section.trailer.get('XRefStm');
    if (section.kind === 'table' && typeof hybrid === 'number' && !seen.has(hybrid)) {
      seen.add(hybrid);
      readXrefStream(source, hybrid, index);
    }
    for (const number of section.free) index.setFree(number);
    const previous = section.trailer.get('Prev');
    next = typeof previous === 'number' ? previous : undefined;
  }
  if (newest === undefined) throw new SyntaxFault('there is no cross-reference section');
  return { index, startXref, trailer: newest.trailer, kind: newest.kind };
}

function readSection(source: ByteSource, offset: number, index: XrefIndex): XrefSection {
  const first = source.read(offset, 32).toString('latin1').trimStart();
  if (first.startsWith('xref')) return { kind: 'table', ...readXrefTable(source, offset, index) };
  return { kind: 'stream', trailer: readXrefStream(source, offset, index), free: [] };
}

function readStartXref(source: ByteSource): number {
  const from = Math.max(0, source.size - TAIL_BYTES);
  const at = source.read(from, TAIL_BYTES).lastIndexOf('startxref');
  if (at < 0) throw new SyntaxFault('there is no startxref');
  const offset = parseInWindow(source, from + at + 'startxref'.length, (parser) => parser.next());
  if (typeof offset !== 'number' || offset <= 0 || offset >= source.size)
    throw new SyntaxFault('startxref points nowhere');
  return offset;
}
