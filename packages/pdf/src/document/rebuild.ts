import type { ByteSource } from '../syntax/byte-source.ts';
import { parseInWindow, readIndirectObject } from '../syntax/indirect-object.ts';
import { isDict, isStream, ref, type PdfDict } from '../syntax/objects.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import { scanForObjects, type Scan } from '../syntax/scan.ts';
import { createXrefIndex, type XrefIndex } from './xref-index.ts';

export interface RebuiltXref {
  index: XrefIndex;
  trailers: PdfDict[];
  /** Numbers of the object streams in file order; the index does not contain their objects yet */
  objectStreams: number[];
}

const CANDIDATES = 32;

/**
 * Rebuilds the cross-reference data by one scan of the whole file. The last object with a given number replaces earlier
 * ones.
 */
export function rebuildXref(source: ByteSource): RebuiltXref {
  const scan = scanForObjects(source);
  const { numbers, generations, offsets } = scan.objects;
  const index = createXrefIndex();
  for (let i = 0; i < numbers.length; i += 1)
    index.setOffset(numbers[i] as number, offsets[i] as number, generations[i] as number, true);
  return {
    index,
    trailers: findTrailers(source, scan),
    objectStreams: scan.objectStreams.map((at) => objectAround(scan, at)?.number ?? -1),
  };
}

function findTrailers(source: ByteSource, scan: Scan): PdfDict[] {
  const found: PdfDict[] = [];
  const keep = (dict: unknown): void => {
    if (isDict(dict) && dict.has('Root')) found.push(dict);
  };
  for (const at of scan.trailers.slice(-CANDIDATES).reverse()) {
    attempt(() => keep(parseInWindow(source, at + 'trailer'.length, (parser) => parser.next())));
  }
  for (const at of scan.xrefStreams.slice(-CANDIDATES).reverse()) {
    attempt(() => {
      const { value } = readIndirectObject(source, objectAround(scan, at)?.offset ?? -1);
      if (isStream(value)) keep(value.dict);
    });
  }
  for (const at of scan.catalogs.slice(-CANDIDATES).reverse()) {
    const object = objectAround(scan, at);
    if (object) found.push(new Map([['Root', ref(object.number)]]));
  }
  return found;
}

function attempt(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
  }
}

function objectAround(
  { objects: { numbers, offsets } }: Scan,
  at: number,
): { number: number; offset: number } | undefined {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? undefined : { number: numbers[low - 1] as number, offset: offsets[low - 1] as number };
}
