import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import type { FailureCode } from '@burnish/contract';
import { buildPdf, imagePage, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { flateImage, photograph } from './pictures.ts';

const IMAGES = '/XObject<</Im0 10 0 R>>';
const image = flateImage(photograph(40, 40));
const IMAGE = { dict: `/Type/XObject/Subtype/Image ${image.dict}`, data: image.data };
const megabytes = (count: number, text: string): string => text.repeat(Math.ceil((count * 1_000_000) / text.length));
const form = (content: string, resources = IMAGES) => ({
  dict: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`,
  data: content,
});

/** Zeros that deflate a thousand to one: one deflated piece, as often as is asked for, in one stream of zlib (RFC 1950). */
function bomb(pieces: number): Buffer {
  const bytes = 10_000_000;
  const piece = deflateRawSync(Buffer.alloc(bytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const checksum = Buffer.alloc(4);
  // Adler-32 of zeros: the first half stays 1, and the second counts the bytes.
  checksum.writeUInt32BE((((pieces * bytes) % 65_521) * 65_536 + 1) >>> 0);
  return Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...Array.from({ length: pieces }, () => piece),
    Buffer.from([3, 0]),
    checksum,
  ]);
}

const deflatedAgain = (data: Buffer, times: number): Buffer =>
  times === 0 ? data : deflatedAgain(deflateSync(data, { level: 9 }), times - 1);

/** Deflated data of 1 MB. */
const GIGABYTE = bomb(100);

/** The pages of a flat tree. */
function pageTree(count: number): Objects {
  const objects: Objects = { 1: '<</Type/Catalog/Pages 2 0 R>>' };
  for (let n = 3; n < count + 3; n += 1) objects[n] = '<</Type/Page/Parent 2 0 R>>';
  objects[2] = `<</Type/Pages/Count ${count}/Kids[${Array.from({ length: count }, (_, i) => `${i + 3} 0 R`).join(' ')}]>>`;
  return objects;
}

/** Pages that all have the same content, of 100 MB and next to nothing in the file. */
function pagesOf(count: number, piece: string): Buffer {
  const objects = onePage('', '');
  for (let n = 10; n < count + 10; n += 1) objects[n] = '<</Type/Page/Parent 2 0 R/Contents 5 0 R>>';
  objects[2] = `<</Type/Pages/Count ${count}/Kids[${Array.from({ length: count }, (_, i) => `${i + 10} 0 R`).join(' ')}]>>`;
  objects[5] = { dict: '/Filter/FlateDecode', data: deflateSync(Buffer.alloc(100_000_000, piece)) };
  return buildPdf(objects);
}

/** Forms that each draw the next ten times, at other sizes. */
function laughs(depth: number, ownResources = true): Objects {
  const forms = Array.from(
    { length: depth },
    (_, level) => `/Fm${level} ${level === depth - 1 ? 10 : 21 + level} 0 R`,
  ).join('');
  const objects: Objects = onePage('/Fm Do', `/XObject<</Fm 20 0 R${forms}>>`, { 10: IMAGE });
  for (let level = 0; level < depth; level += 1) {
    const content = Array.from({ length: 10 }, (_, i) => `q ${i + 2} 0 0 1.${i} 0 0 cm /Fm${level} Do Q`).join(' ');
    objects[20 + level] = form(content, `/XObject<<${forms}>>`);
    if (!ownResources) objects[20 + level] = { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', data: content };
  }
  return objects;
}

/** Forms that each draw the next ten times in one place: few draws, and a million uses. */
export function nestedForms(): Buffer {
  const objects: Objects = onePage('/Fm Do', '/XObject<</Fm 20 0 R>>', { 10: IMAGE });
  for (let level = 0; level < 7; level += 1) {
    const content = level === 6 ? '/Im0 Do' : '/Fm Do '.repeat(10);
    objects[20 + level] = form(content, `/XObject<</Im0 10 0 R/Fm ${21 + level} 0 R>>`);
  }
  return buildPdf(objects);
}

/** A page with stamps that all have one appearance. */
function annotated(stamps: number, appearance: string): Buffer {
  const stamp = '<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AP<</N 11 0 R>>>>';
  return buildPdf(onePage('', '', { 10: IMAGE, 11: form(appearance) }, `/Annots[${stamp.repeat(stamps)}]`));
}

function xrefLoop(): Buffer {
  const text = buildPdf(onePage('', ''), { trailer: '/Prev 00000' }).toString('latin1');
  const start = /startxref\n(\d+)/.exec(text)![1]!;
  return Buffer.from(text.replace('/Prev 00000', `/Prev ${start.padEnd(5)}`), 'latin1');
}

/** A file that was saved so often. */
function savedOften(times: number): Buffer {
  let text = buildPdf(onePage('', '')).toString('latin1');
  let previous = text.lastIndexOf('xref\n0');
  for (let i = 0; i < times; i += 1) {
    const at = text.length;
    text += `xref\n0 0\ntrailer\n<</Size 9/Root 1 0 R/Prev ${previous}>>\nstartxref\n${at}\n%%EOF\n`;
    previous = at;
  }
  return Buffer.from(text, 'latin1');
}

type RefusedFile = [title: string, make: () => Buffer, code: FailureCode, sentence: RegExp];

/** Files that meet their limit only after many seconds of work: a drill analyses them. */
export const refusedLate: RefusedFile[] = [
  ['117 million operators', () => pagesOf(7, 'n     '), 'PROCESSING_LIMIT', /100,000,000 operators and operands/],
  ['content of 2.1 GB, 100 MB a page', () => pagesOf(21, ' '), 'PROCESSING_LIMIT', /2,000,000,000 bytes of objects/],
  [
    'annotations that each place 100,000 images again',
    () => annotated(1_000, Array.from({ length: 100_000 }, (_, i) => `q ${i + 1} 0 0 1 0 0 cm /Im0 Do Q`).join(' ')),
    'PROCESSING_LIMIT',
    /20,000,000 operators and operands on one page/,
  ],
];

/** Files that end with the code of a limit, and the sentence that names it. */
export const refused: RefusedFile[] = [
  [
    'an object stream of 1 MB that inflates to a gigabyte',
    () => {
      const bytes = buildPdf({
        ...onePage('', ''),
        3: '11 0 R',
        10: { dict: '/Type/ObjStm/N 1/First 5/Filter/FlateDecode', data: GIGABYTE },
      });
      return Buffer.from(bytes.toString('latin1').slice(0, bytes.lastIndexOf('xref\n0')), 'latin1');
    },
    'PROCESSING_LIMIT',
    /128,000,000 bytes in one object stream/,
  ],
  [
    'content that inflates to a gigabyte',
    () => buildPdf({ ...onePage('', ''), 4: { dict: '/Filter/FlateDecode', data: GIGABYTE } }),
    'PROCESSING_LIMIT',
    /128,000,000 bytes of content/,
  ],
  [
    'content that is deflated twice',
    () =>
      buildPdf({
        ...onePage('', ''),
        4: { dict: '/Filter[/FlateDecode/FlateDecode]', data: deflatedAgain(bomb(40), 1) },
      }),
    'PROCESSING_LIMIT',
    /bytes of content/,
  ],
  [
    'nine filters on one stream',
    () =>
      buildPdf({
        ...onePage('', ''),
        4: { dict: `/Filter[${'/FlateDecode'.repeat(9)}]`, data: deflatedAgain(Buffer.alloc(1000), 9) },
      }),
    'PROCESSING_LIMIT',
    /8 filters/,
  ],
  [
    'one content stream named a million times',
    () => {
      const objects = onePage('', IMAGES, { 5: { dict: '', data: megabytes(1, 'q Q ') } });
      return buildPdf({ ...objects, 3: `<</Type/Page/Parent 2 0 R/Contents[${'5 0 R '.repeat(1_000_000)}]>>` });
    },
    'PROCESSING_LIMIT',
    // Node.js 24 collects the parts later, so the limit of memory can come first.
    /bytes of content|more memory than the limit/,
  ],
  ['10 MB of (', () => Buffer.from(`%PDF-1.7\n1 0 obj\n${megabytes(10, '(')}`), 'CORRUPT_FILE', /no readable pages/],
  ['4 MB of 1 0 obj', () => Buffer.from(`%PDF-1.7\n${megabytes(4, '1 0 obj\n')}`), 'CORRUPT_FILE', /no readable pages/],
  ['8 MB of [', () => buildPdf({ ...onePage('', ''), 2: megabytes(8, '[') }), 'CORRUPT_FILE', /no readable pages/],
  [
    'a page tree that is a loop',
    () =>
      buildPdf({
        ...onePage('', ''),
        2: '<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Parent 2 0 R>>',
        3: '<</Type/Pages/Kids[2 0 R]>>',
      }),
    'CORRUPT_FILE',
    /no readable pages/,
  ],
  ['5,001 updates of a few bytes', () => savedOften(5_001), 'PROCESSING_LIMIT', /5,000 cross-reference sections/],
  [
    '100,001 inline images',
    () => buildPdf(onePage('BI /W 1 /H 1 /BPC 8 /CS /G ID x EI\n'.repeat(100_001), '')),
    'PROCESSING_LIMIT',
    /100,000 images/,
  ],
  [
    'a string of 40 MB',
    () => buildPdf({ ...onePage('', ''), 2: `<</Type/Pages/Kids[3 0 R]/Title(${megabytes(40, 'title ')})>>` }),
    'PROCESSING_LIMIT',
    /32,000,000 bytes in one object/,
  ],
  ['50,001 pages', () => buildPdf(pageTree(50_001)), 'PROCESSING_LIMIT', /50,000 pages/],
  [
    'one page named 300,000 times',
    () => buildPdf({ ...onePage('', ''), 2: `<</Type/Pages/Kids[${'3 0 R '.repeat(300_000)}]>>` }),
    'PROCESSING_LIMIT',
    /200,000 nodes/,
  ],
  [
    '200,001 draws that all differ',
    () =>
      buildPdf(
        onePage(Array.from({ length: 200_001 }, (_, i) => `1 0 ${i} 1 0 0 cm /Im0 Do`).join('\n'), IMAGES, {
          10: IMAGE,
        }),
      ),
    'PROCESSING_LIMIT',
    /200,000 different draws/,
  ],
  [
    'a form of 30,000 operators that is drawn 1,000 times',
    () =>
      buildPdf(
        onePage('/Fm Do '.repeat(1_000), '/XObject<</Fm 11 0 R>>', {
          11: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', data: 'n '.repeat(30_000) },
        }),
      ),
    'PROCESSING_LIMIT',
    /20,000,000 operators and operands on one page/,
  ],
  [
    'a thousand annotations that each run 30,000 operators again',
    () => annotated(1_000, `${'n '.repeat(30_000)}/Im0 Do`),
    'PROCESSING_LIMIT',
    /20,000,000 operators and operands on one page/,
  ],
  [
    'forms that draw each other ten times, ten deep',
    () => buildPdf(laughs(10)),
    'PROCESSING_LIMIT',
    /20,000,000 operators/,
  ],
  [
    'the same without resources of their own',
    () => buildPdf(laughs(10, false)),
    'PROCESSING_LIMIT',
    /20,000,000 operators/,
  ],
  [
    'forms in one place that draw each other ten times, seven deep',
    nestedForms,
    'PROCESSING_LIMIT',
    /500,000 uses of forms on one page/,
  ],
  ['forms 40 deep', () => buildPdf(laughs(40)), 'PROCESSING_LIMIT', /32 levels of nested forms/],
  [
    'a flood of q',
    () => buildPdf(onePage(megabytes(20, 'q '), '')),
    'PROCESSING_LIMIT',
    /100,000 saved graphics states/,
  ],
  [
    'a table of 100 million objects',
    () =>
      Buffer.from(
        `%PDF-1.7\nxref\n0 100000000\n${megabytes(2, '0000000000 65535 f \n')}trailer\n<</Root 1 0 R>>\nstartxref\n9\n%%EOF`,
      ),
    'CORRUPT_FILE',
    /no readable pages/,
  ],
  [
    'an object number beyond all bounds',
    () => {
      const bytes = buildPdf(onePage('', ''), { xref: 'table' }).toString('latin1');
      return Buffer.from(bytes.replace(/xref\n0 (\d+)/, 'xref\n99999999 $1'), 'latin1');
    },
    'PROCESSING_LIMIT',
    /8,388,607 as an object number/,
  ],
  [
    'five hundred images of 100 megapixels that share a few bytes',
    () => {
      const dict =
        '/Type/XObject/Subtype/Image/Width 10000/Height 10000/ColorSpace/DeviceGray/BitsPerComponent 8/Length 2';
      const objects: Objects = {};
      for (let n = 10; n < 520; n += 1) objects[n] = { dict, data: '' };
      const names = Object.keys(objects);
      const content = names.map((n) => `/Im${n} Do`).join(' ');
      return buildPdf(onePage(content, `/XObject<<${names.map((n) => `/Im${n} ${n} 0 R`).join('')}>>`, objects));
    },
    'TOO_MANY_PIXELS',
    /50,000,000,000 pixels in its images/,
  ],
];

type EnduredFile = [title: string, make: () => Buffer, expected: { pages: number; images: number }];

const drawn = (content: string): Buffer => buildPdf(onePage(content, IMAGES, { 10: IMAGE }));

/** Files that take many seconds: a drill reads them. */
export const enduredLate: EnduredFile[] = [
  ['5 million draws of one size', () => drawn(megabytes(35, '/Im0 Do\n')), { pages: 1, images: 1 }],
  ['16 MB of < in its content', () => drawn(`/Im0 Do ${megabytes(16, '<')}`), { pages: 1, images: 1 }],
];

/** Files that are read to their end, and what is in them. */
export const endured: EnduredFile[] = [
  // More than twice as many as it may draw of different sizes.
  ['500,000 draws of one size', () => drawn('/Im0 Do\n'.repeat(500_000)), { pages: 1, images: 1 }],
  [
    'a form that draws itself',
    () =>
      buildPdf(
        onePage('/Fm Do', '/XObject<</Fm 11 0 R>>', {
          10: IMAGE,
          11: form('/Im0 Do /Fm Do', '/XObject<</Im0 10 0 R/Fm 11 0 R>>'),
        }),
      ),
    { pages: 1, images: 1 },
  ],
  ['cross-reference sections that are a loop', xrefLoop, { pages: 1, images: 0 }],
  [
    'lengths that lie',
    () => buildPdf(onePage('/Im0 Do', IMAGES, { 10: { ...IMAGE, dict: `${IMAGE.dict}/Length 999999999` } })),
    { pages: 1, images: 1 },
  ],
  [
    'an object stream that lies in itself',
    () => buildPdf({ ...imagePage(image, 9, 9), 12: '<</Length 13 0 R>>' }, { xref: 'objects' }),
    { pages: 1, images: 1 },
  ],
  [
    'names and values a megabyte long',
    () => drawn(`/${'n'.repeat(1_000_000)} gs ${'9'.repeat(1_000_000)} w /Im0 Do`),
    { pages: 1, images: 1 },
  ],
  ['10 MB of ( in its content', () => drawn(`/Im0 Do ${megabytes(10, '(')}`), { pages: 1, images: 1 }],
  ['2 MB of < in its content', () => drawn(`/Im0 Do ${megabytes(2, '<')}`), { pages: 1, images: 1 }],
  ['2 MB of BI in its content', () => drawn(`/Im0 Do ${megabytes(2, 'BI ID ')}`), { pages: 1, images: 2 }],
  [
    'an image whose data inflates to a gigabyte',
    () => buildPdf(imagePage({ ...image, data: GIGABYTE }, 9, 9)),
    { pages: 1, images: 1 },
  ],
  [
    'an image that says it has 3 gigapixels',
    () =>
      buildPdf(
        imagePage(
          { ...image, dict: image.dict.replace('/Width 40', '/Width 60000').replace('/Height 40', '/Height 60000') },
          9,
          9,
        ),
      ),
    { pages: 1, images: 1 },
  ],
];
