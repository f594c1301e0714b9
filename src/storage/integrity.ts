import { createHash } from 'node:crypto';
import { pipeline, Transform, type Readable } from 'node:stream';

/** The bytes that an object must have, by its record. */
export interface ExpectedBytes {
  /** Hex SHA-256, or its first digits */
  sha256: string;
  /** Bytes; absent if unknown */
  size?: number | undefined;
}

export interface FoundBytes {
  size: number;
  sha256: string;
}

/** The bytes of an object differ from those of its record. This says nothing about the caller's file, nor about other objects. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged';
  readonly key: string;
  readonly expected: ExpectedBytes;
  readonly found: FoundBytes;

  constructor(key: string, expected: ExpectedBytes, found: FoundBytes) {
    super('Storage returned other bytes than those of the record.');
    this.key = key;
    this.expected = expected;
    this.found = found;
  }
}

/** Receives damage as a read finds it. Repeated reads of the same damage do not repeat the report. */
export type ReportDamage = (damage: ObjectDamaged) => void;

export const matches = ({ sha256, size }: ExpectedBytes, found: FoundBytes): boolean =>
  (size === undefined || size === found.size) && found.sha256.startsWith(sha256);

/**
 * Hashes a body on its way, and holds its last chunk back until all bytes have been compared: damaged bytes never arrive complete.
 * The body fails with ObjectDamaged in place of its last chunk.
 * @param compare throws for bytes that are not the expected ones
 */
export function comparedBody(body: Readable, compare: (found: FoundBytes) => void): Readable {
  const hash = createHash('sha256');
  let size = 0;
  let held: Buffer | undefined;
  const comparing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.byteLength;
      const earlier = held;
      held = chunk;
      done(null, earlier);
    },
    flush(done) {
      try {
        compare({ size, sha256: hash.digest('hex') });
        done(null, held);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // Errors reach the reader of the last stream; without a callback they would also be thrown.
  pipeline(body, comparing, () => undefined);
  return comparing;
}
