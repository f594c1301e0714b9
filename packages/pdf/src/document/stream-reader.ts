import type { ByteSource } from '../syntax/byte-source.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { decodeFilters, filterChain, type DecodedStream, type FilterStep } from '../filters/filters.ts';
import { PDF_LIMITS, type PdfLimit } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';
import { isName, type PdfStream, type PdfValue } from '../syntax/objects.ts';
import { streamLength } from '../syntax/stream-extent.ts';

export interface StreamReader {
  /** Returns the filters in decoding order. */
  filters(stream: PdfStream): FilterStep[];
  /** Returns the number of stored bytes. */
  rawLength(stream: PdfStream): number;
  rawData(stream: PdfStream): Buffer;
  /**
   * As `rawData`, in a buffer that the next call with the same slot reuses. A file with hundreds of photographs then
   * needs the memory of a few.
   */
  borrowRawData(stream: PdfStream, slot?: number): Buffer;
  /**
   * Decodes the data up to an image filter.
   * @param cap maximum bytes, if lower than the limit
   * @throws PdfError of `limit` when the data inflates to more; UnknownFilter
   */
  decode(stream: PdfStream, limit: PdfLimit, cap?: number): DecodedStream;
}

/** Maximum size of a buffer kept for reuse, bytes: the size of typical photographs. */
const SCRATCH_BYTES = 64_000_000;

export interface StreamReaderDeps {
  source: ByteSource;
  resolve: (value: PdfValue | undefined) => PdfValue;
  encryption: () => Encryption | undefined;
  /** Called with the number of inflated or searched bytes; throws when their sum is too large */
  spend: (bytes: number) => void;
}

export function createStreamReader({ source, resolve, encryption, spend }: StreamReaderDeps): StreamReader {
  const scratches: Buffer[] = [];
  const filters = (stream: PdfStream): FilterStep[] => filterChain(stream.dict, resolve);

  function rawLength(stream: PdfStream): number {
    const length = resolve(stream.dict.get('Length'));
    return streamLength(source, stream.start, typeof length === 'number' ? length : undefined, spend);
  }

  return {
    filters,
    rawLength,
    borrowRawData(stream, slot = 0) {
      const length = rawLength(stream);
      if (length > SCRATCH_BYTES) return source.read(stream.start, length);
      let scratch = scratches[slot] ?? Buffer.alloc(0);
      if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(Math.min(SCRATCH_BYTES, Math.ceil(length * 1.25)));
      scratches[slot] = scratch;
      return scratch.subarray(0, source.readInto(scratch.subarray(0, length), stream.start));
    },
    rawData: (stream) => source.read(stream.start, rawLength(stream)),
    decode(stream, limit, cap = PDF_LIMITS[limit].max) {
      const length = rawLength(stream);
      // ASCIIHexDecode has the largest input for its output. Data much longer than that exceeds the cap and stays
      // unread.
      if (length > cap * 2.5 + 4096) throw limitExceeded(limit);
      const steps = filters(stream);
      const raw = source.read(stream.start, length);
      const cipher = isPlain(stream, steps) ? undefined : encryption();
      const decoded = decodeFilters(
        cipher ? cipher.decryptStream(raw, stream.number, stream.generation) : raw,
        steps,
        cap,
        limit,
      );
      if (decoded.data.length > cap) throw limitExceeded(limit);
      // The number of pixels of an image limits its inflated size.
      if (limit !== 'imageBytes') spend(decoded.data.length);
      return decoded;
    },
  };
}

function isPlain(stream: PdfStream, steps: FilterStep[]): boolean {
  const type = stream.dict.get('Type');
  if (isName(type) && type.value === 'XRef') return true;
  const crypt = steps.find(({ filter }) => filter === 'Crypt');
  if (!crypt) return false;
  const filter = crypt.parameters.get('Name');
  return !isName(filter) || filter.value === 'Identity';
}
