import {
  isDict,
  isStream,
  nextNumber,
  ref,
  type AddedObject,
  type ChangedStream,
  type ObjectChanges,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfStream,
  type PdfValue,
  type StreamData,
} from '@burnish/pdf';

/** Copies of the objects of a PDF, which change in place. */
export interface EditableObjects {
  get(number: number): PdfValue;
  resolve(value: PdfValue | undefined): PdfValue;
  /** Marks the object around a dictionary or an array of these copies as changed, and returns the part. */
  edit<Part extends PdfDict | PdfValue[]>(part: Part): Part;
  /** Replaces the data of a stream. Its dictionary changes by `edit`. */
  replaceData(stream: PdfStream, data: StreamData): void;
  /** Adds an object, with the data of a stream. */
  add(value: PdfDict, data?: StreamData): PdfRef;
  changes(): Required<ObjectChanges>;
}

const MAX_HOPS = 16;

export function createEditableObjects(pdf: PdfDocument): EditableObjects {
  const copies = new Map<number, PdfValue>();
  const owners = new WeakMap<object, number>();
  const edited = new Set<number>();
  const data = new Map<number, StreamData>();
  const added: AddedObject[] = [];
  const first = nextNumber(pdf);

  function copy(value: PdfValue, owner: number): PdfValue {
    if (Array.isArray(value)) {
      const items = value.map((item) => copy(item, owner));
      owners.set(items, owner);
      return items;
    }
    if (isStream(value)) return { ...value, dict: copy(value.dict, owner) as PdfDict };
    if (!isDict(value)) return value;
    const dict: PdfDict = new Map([...value].map(([key, item]) => [key, copy(item, owner)]));
    owners.set(dict, owner);
    return dict;
  }

  function get(number: number): PdfValue {
    const known = copies.get(number);
    if (known !== undefined) return known;
    const value = copy(pdf.get(number), number);
    copies.set(number, value);
    return value;
  }

  return {
    get,
    resolve(value) {
      let found = value ?? null;
      for (
        let hops = 0;
        typeof found === 'object' && found !== null && 'kind' in found && found.kind === 'ref';
        hops += 1
      )
        found = hops < MAX_HOPS ? get(found.number) : null;
      return found;
    },
    edit(part) {
      const owner = owners.get(part);
      // Parts of added objects have no owner: they are written anyway.
      if (owner !== undefined) edited.add(owner);
      return part;
    },
    replaceData(stream, given) {
      edited.add(stream.number);
      data.set(stream.number, given);
    },
    add(value, given) {
      const number = first + added.length;
      added.push(given === undefined ? { number, value } : { number, dict: value, data: given });
      copies.set(number, value);
      return ref(number);
    },
    changes() {
      const values = new Map<number, PdfValue>();
      const streams = new Map<number, ChangedStream>();
      for (const number of edited) {
        const value = get(number);
        const given = data.get(number);
        if (isStream(value))
          streams.set(number, { dict: () => value.dict, ...(given !== undefined && { data: given }) });
        else values.set(number, value);
      }
      return { values, streams, added };
    },
  };
}
