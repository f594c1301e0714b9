import { deflateSync } from 'node:zlib';

/** An object as PDF syntax, or a stream: dictionary entries without `<<`, and its data. */
export type BuiltObject = string | { dict: string; data: Buffer | string };

export interface BuildOptions {
  /** How the cross-reference data is written; `objects` also packs what is no stream into an object stream */
  xref?: 'table' | 'stream' | 'objects' | 'hybrid' | 'none';
  /** More entries of the trailer */
  trailer?: string;
  /** What stands before the header */
  before?: string;
}

/** Objects by number; number 1 is the catalog unless the trailer says otherwise. */
export type Objects = Record<number, BuiltObject>;

const line = (text: string): Buffer => Buffer.from(`${text}\n`, 'latin1');

export function serializeObject(number: number, object: BuiltObject): Buffer {
  if (typeof object === 'string') return line(`${number} 0 obj\n${object}\nendobj`);
  const data = typeof object.data === 'string' ? Buffer.from(object.data, 'latin1') : object.data;
  const length = /\/Length\b/.test(object.dict) ? '' : `/Length ${data.length}`;
  return Buffer.concat([
    line(`${number} 0 obj\n<<${object.dict} ${length}>>\nstream`),
    data,
    line('\nendstream\nendobj'),
  ]);
}

/** A PDF file of these objects. */
export function buildPdf(objects: Objects, { xref = 'table', trailer = '', before = '' }: BuildOptions = {}): Buffer {
  const parts: Buffer[] = [Buffer.from(before, 'latin1'), Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let position = parts[1]!.length;
  const offsets = new Map<number, number>();
  const put = (number: number, bytes: Buffer): void => {
    offsets.set(number, position);
    parts.push(bytes);
    position += bytes.length;
  };
  const numbers = Object.keys(objects).map(Number);
  const packed =
    xref === 'objects' || xref === 'hybrid' ? numbers.filter((n) => typeof objects[n] === 'string' && n !== 1) : [];
  for (const number of numbers) if (!packed.includes(number)) put(number, serializeObject(number, objects[number]!));
  const top = numbers.reduce((a, b) => Math.max(a, b), 0);
  if (packed.length > 0) put(top + 1, serializeObject(top + 1, objectStream(objects, packed)));
  const size = top + 3;
  const entries = `/Size ${size} /Root 1 0 R ${trailer}`;

  let start = position;
  if (xref === 'table' || xref === 'none') {
    if (xref === 'table') parts.push(table(offsets, size), line(`trailer\n<<${entries}>>`));
  } else {
    const stream = xrefStream(offsets, packed, top, size, position, xref === 'hybrid' ? `/Size ${size}` : entries);
    parts.push(stream);
    if (xref === 'hybrid') {
      start = position + stream.length;
      parts.push(table(offsets, size), line(`trailer\n<<${entries} /XRefStm ${position}>>`));
    }
  }
  if (xref !== 'none') parts.push(line(`startxref\n${start}\n%%EOF`));
  return Buffer.concat(parts);
}

function table(offsets: Map<number, number>, size: number): Buffer {
  const rows = Array.from({ length: size }, (_, n) =>
    offsets.has(n) ? `${String(offsets.get(n)).padStart(10, '0')} 00000 n ` : `0000000000 65535 f `,
  );
  return line(`xref\n0 ${size}\n${rows.join('\n')}`);
}

function objectStream(objects: Objects, packed: number[]): BuiltObject {
  let body = '';
  let head = '';
  for (const number of packed) {
    head += `${number} ${body.length} `;
    body += `${objects[number] as string} `;
  }
  return {
    dict: `/Type /ObjStm /N ${packed.length} /First ${head.length} /Filter /FlateDecode`,
    data: deflateSync(Buffer.from(head + body, 'latin1')),
  };
}

function xrefStream(
  offsets: Map<number, number>,
  packed: number[],
  top: number,
  size: number,
  at: number,
  entries: string,
): Buffer {
  const rows = Array.from({ length: size }, (_, n) => {
    const row = Buffer.alloc(7);
    const place = packed.indexOf(n);
    row[0] = place >= 0 ? 2 : offsets.has(n) || n === top + 2 ? 1 : 0;
    row.writeUInt32BE(place >= 0 ? top + 1 : n === top + 2 ? at : (offsets.get(n) ?? 0), 1);
    row.writeUInt16BE(Math.max(0, place), 5);
    return row;
  });
  const dict = `/Type /XRef /W [1 4 2] /Filter /FlateDecode ${entries}`;
  return serializeObject(top + 2, { dict, data: deflateSync(Buffer.concat(rows)) });
}

/** One page that draws what `content` says, with `resources` (without `<<`), then `objects` from number 10 on. */
export function onePage(content: string, resources: string, objects: Objects = {}, page = ''): Objects {
  return {
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<${resources}>>${page}>>`,
    4: { dict: '', data: content },
    ...objects,
  };
}

/** A page with one image, object 10, drawn `points` wide and in proportion. */
export function imagePage(
  image: { dict: string; data: Buffer | string },
  points: number,
  height: number,
  more: Objects = {},
): Objects {
  const dict = `/Type/XObject/Subtype/Image ${image.dict}`;
  return onePage(`q ${points} 0 0 ${height} 50 50 cm /Im0 Do Q`, '/XObject<</Im0 10 0 R>>', {
    10: { dict, data: image.data },
    ...more,
  });
}
