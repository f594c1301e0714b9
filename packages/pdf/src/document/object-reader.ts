import type { ByteSource } from '../syntax/byte-source.ts';
import { UnknownFilter } from '../filters/filters.ts';
import { readIndirectObject } from '../syntax/indirect-object.ts';
import { isDict, isRef, isStream, isString, type PdfStream, type PdfString, type PdfValue } from '../syntax/objects.ts';
import { openObjectStream, type ObjectStream } from './object-stream.ts';
import { SyntaxFault } from '../syntax/parser.ts';
import type { XrefIndex } from './xref-index.ts';

const OBJECTS_KEPT = 4096;
const OBJECT_STREAMS_KEPT = 4;
const MAX_HOPS = 16;
/** Maximum number of object streams that open one another. A stream inside another stream is not a valid object. */
const MAX_OPENING = 8;

export interface ObjectReader {
  /** Returns the object, or null if it does not exist. */
  get(number: number): PdfValue;
  /** Follows references to their object; a reference loop resolves to null. */
  resolve(value: PdfValue | undefined): PdfValue;
  /** Returns the numbers of the objects in an object stream. */
  numbersIn(container: number): readonly number[];
  /** Returns the object that contains a string, which determines its key. Only encrypted files record it. */
  findOwner(value: PdfString): { number: number; generation: number } | undefined;
  forget(): void;
}

export interface ObjectReaderDeps {
  source: ByteSource;
  index: () => XrefIndex;
  isEncrypted: () => boolean;
  decode: (stream: PdfStream) => Buffer;
  /** Called when an object is not at its recorded offset. @returns whether to read the object again */
  recover: () => boolean;
}

export function createObjectReader({ source, index, isEncrypted, decode, recover }: ObjectReaderDeps): ObjectReader {
  const objects = new Map<number, PdfValue>();
  const containers = new Map<number, ObjectStream>();
  const owners = new WeakMap<PdfString, { number: number; generation: number }>();
  let opening = 0;

  function get(number: number): PdfValue {
    const known = objects.get(number);
    if (known !== undefined) return known;
    const value = load(number);
    if (objects.size >= OBJECTS_KEPT)
      for (const old of [...objects.keys()].slice(0, OBJECTS_KEPT / 4)) objects.delete(old);
    objects.set(number, value);
    return value;
  }

  function load(number: number): PdfValue {
    const entry = index().get(number);
    if (entry === undefined) return null;
    if (entry.type === 'compressed') return container(entry.container)?.get(number, entry.index) ?? null;
    try {
      const found = readIndirectObject(source, entry.offset);
      if (found.number !== number) throw new SyntaxFault('another object stands there');
      if (isEncrypted()) rememberOwner(found.value, { number, generation: found.generation });
      return found.value;
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      return recover() ? load(number) : null;
    }
  }

  function container(number: number): ObjectStream | undefined {
    const known = containers.get(number);
    if (known) return known;
    if (index().get(number)?.type !== 'offset' || opening >= MAX_OPENING) return undefined;
    opening += 1;
    try {
      const stream = get(number);
      if (!isStream(stream)) return undefined;
      const [count, first] = [resolve(stream.dict.get('N')), resolve(stream.dict.get('First'))];
      if (typeof count !== 'number' || typeof first !== 'number') return undefined;
      const opened = openObjectStream(decode(stream), count, first);
      if (containers.size >= OBJECT_STREAMS_KEPT) containers.delete(containers.keys().next().value as number);
      containers.set(number, opened);
      return opened;
    } catch (error) {
      if (error instanceof UnknownFilter) return undefined;
      throw error;
    } finally {
      opening -= 1;
    }
  }

  function resolve(value: PdfValue | undefined): PdfValue {
    let found = value ?? null;
    for (let hops = 0; isRef(found); hops += 1) found = hops < MAX_HOPS ? get(found.number) : null;
    return found;
  }

  function rememberOwner(value: PdfValue, owner: { number: number; generation: number }): void {
    if (isString(value)) owners.set(value, owner);
    else if (Array.isArray(value)) for (const item of value) rememberOwner(item, owner);
    else if (isDict(value)) for (const item of value.values()) rememberOwner(item, owner);
    else if (isStream(value)) rememberOwner(value.dict, owner);
  }

  return {
    get,
    resolve,
    numbersIn: (number) => container(number)?.numbers ?? [],
    findOwner: (value) => owners.get(value),
    forget() {
      objects.clear();
      containers.clear();
    },
  };
}
