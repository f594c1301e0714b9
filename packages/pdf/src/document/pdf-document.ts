import { openByteSource, sourceFrom, type ByteSource } from '../syntax/byte-source.ts';
import { openStandardEncryption, type Encryption } from '../encryption/encryption.ts';
import { PdfError, assertWithin } from '../pdf-error.ts';
import { isDict, isStream, type PdfDict, type PdfString } from '../syntax/objects.ts';
import { createObjectReader, type ObjectReader } from './object-reader.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import { rebuildXref } from './rebuild.ts';
import { createStreamReader, type StreamReader } from './stream-reader.ts';
import type { XrefEntry } from './xref-index.ts';
import { readXref, type Xref } from './xref.ts';

/** Number of leading bytes that must contain the header (ISO 32000-1, Annex H.3) */
const HEADER_WITHIN = 1024;

export interface DocumentXref extends Xref {
  rebuilt: boolean;
}

/** The objects of one file, read on demand. Streams stay in the file until they are decoded. */
export interface PdfDocument extends StreamReader, Pick<ObjectReader, 'get' | 'resolve' | 'findOwner'> {
  readonly source: ByteSource;
  /** Number of bytes before `%PDF-`; offsets in the file count from there */
  readonly base: number;
  readonly encryption: Encryption | undefined;
  xref(): DocumentXref;
  /** Rebuilds the cross-reference data now, when another reader of the file found it to be wrong. */
  rebuild(): void;
  /** Returns the bytes of a string, decrypted in an encrypted file. */
  stringBytes(value: PdfString): Buffer;
  close(): void;
}

/**
 * Opens a PDF and reads only its cross-reference data. One scan of the file rebuilds a broken table.
 * @param password password of the user or the owner, for an encrypted file
 * @throws PdfError
 */
export function openPdfDocument(path: string, password?: string): PdfDocument {
  const file = openByteSource(path);
  try {
    return createPdfDocument(file, password);
  } catch (error) {
    file.close();
    throw error;
  }
}

export function createPdfDocument(file: ByteSource, password?: string): PdfDocument {
  const base = headerOffset(file);
  const source = sourceFrom(file, base);
  let encryption: Encryption | undefined;
  let inflated = 0;
  let xref: DocumentXref | undefined;
  const current = (): DocumentXref => xref!;

  const streams = createStreamReader({
    source,
    resolve: (value) => objects.resolve(value),
    encryption: () => encryption,
    spend: (bytes) => assertWithin('inflatedBytes', (inflated += bytes)),
  });
  const objects = createObjectReader({
    source,
    index: () => current().index,
    isEncrypted: () => encryption !== undefined,
    decode: (stream) => streams.decode(stream, 'objectStreamBytes').data,
    recover() {
      if (current().rebuilt) return false;
      rebuild();
      return true;
    },
  });

  function use(given: DocumentXref): void {
    xref = given;
    objects.forget();
  }
  function openEncryption(): void {
    encryption = undefined;
    encryption = openStandardEncryption(current().trailer, objects.resolve, password);
    // Strings that were read before have no owner.
    objects.forget();
  }
  function rebuild(): void {
    const { index, trailers, objectStreams } = rebuildXref(source);
    const rebuilt = (trailer: PdfDict = new Map()): DocumentXref => ({
      index,
      trailer,
      kind: 'stream',
      startXref: 0,
      rebuilt: true,
    });
    use(rebuilt(trailers[0]));
    openEncryption();
    for (const number of objectStreams) {
      for (const [place, contained] of objects.numbersIn(number).entries()) {
        if (!isNewer(index.get(contained), index.get(number))) index.setCompressed(contained, number, place, true);
      }
    }
    use(rebuilt(trailers.find(hasPages) ?? trailers[0]));
  }
  const hasPages = (trailer: PdfDict): boolean => faultOfPages(trailer) === undefined;
  /** Says which rule the way from the trailer to the pages breaks (ISO 32000-1 section 7.7.2); undefined for none. */
  function faultOfPages(trailer: PdfDict): string | undefined {
    const root = objects.resolve(trailer.get('Root'));
    if (isStream(root)) return 'its catalog is a stream instead of a dictionary';
    if (!isDict(root)) return 'its trailer names no catalog';
    const pages = objects.resolve(root.get('Pages'));
    return isDict(pages) ? undefined : 'the entry Pages of its catalog is no dictionary';
  }

  try {
    use({ ...readXref(source), rebuilt: false });
    openEncryption();
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    rebuild();
  }
  if (!hasPages(current().trailer) && !current().rebuilt) rebuild();
  const fault = faultOfPages(current().trailer);
  if (fault !== undefined)
    throw new PdfError('CORRUPT_FILE', `The PDF has no readable pages: ${fault}. Save the file as a PDF again.`);

  return {
    ...streams,
    get: objects.get,
    resolve: objects.resolve,
    findOwner: objects.findOwner,
    source,
    base,
    get encryption() {
      return encryption;
    },
    xref: current,
    rebuild() {
      if (!current().rebuilt) rebuild();
    },
    stringBytes(value) {
      const owner = objects.findOwner(value);
      return owner && encryption ? encryption.decryptString(value.bytes, owner.number, owner.generation) : value.bytes;
    },
    close: () => file.close(),
  };
}

function isNewer(plain: XrefEntry | undefined, container: XrefEntry | undefined): boolean {
  return plain?.type === 'offset' && container?.type === 'offset' && plain.offset > container.offset;
}

/** Finds the header where detectors of file types find it, so that no file is changed whose result has no type. */
function headerOffset(file: ByteSource): number {
  const head = file.read(0, HEADER_WITHIN);
  const at = head.indexOf('%PDF-');
  if (at >= 0) return at;
  if (head.indexOf('%PDF') === 0) return 0;
  throw new PdfError(
    'CORRUPT_FILE',
    'The first 1,024 bytes of the file have no PDF header. Save the file as a PDF again.',
  );
}
