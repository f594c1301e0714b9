import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isDict, isStream, walkPages } from '@burnish/pdf';
import { contradictsItself } from '../../src/pdf/enhance/verify.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage, serializeObject } from '../../../pdf/test/build-pdf.ts';
import { flateImage, photograph } from './pictures.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';
import { DOUBLED, HEIGHT, WIDTH, analyzeBytes, enhanceBytes } from './support.ts';

const scratch = await scratchFolder();
const photo = flateImage(photograph(WIDTH, HEIGHT));

describe('a damaged dictionary loses one entry and remains an object', () => {
  const entries = (text: string): string[] => {
    const value = openBytes(buildPdf(onePage('', '', { 10: text }))).get(10);
    return isDict(value) ? [...value.keys()] : [];
  };
  it.each([
    ['an array without its end', '<</Type/Marker/Box[0 0 1 1>>', ['Type', 'Box']],
    ['an array without its end in an inner one', '<</Inner<</Box[0 0 1 1>>/Type/Marker>>', ['Inner', 'Type']],
    ['a string without its end', '<</Type/Marker/Title(no end /Box[0 0 1 1]>>', ['Type', 'Box']],
    ['a name that was cut by a parenthesis', '<</Type/Marker/Ti(le 4 0 R/Box[0 0 1 1]>>', ['Type', 'Box']],
    ['no end of its own', '<</Type/Marker/Box[0 0 1 1]', ['Type', 'Box']],
    ['no end of its own after a key', '<</Type/Marker/Box', ['Type']],
  ])('%s', (_, text, keys) => {
    expect(entries(text)).toEqual(keys);
  });

  it('a stream whose dictionary has no end is still a stream', () => {
    const objects = imagePage(photo, WIDTH, HEIGHT);
    const bytes = buildPdf(objects)
      .toString('latin1')
      .replace(/(\/Length \d+)>>(\nstream)/g, '$1  $2');
    const image = openBytes(Buffer.from(bytes, 'latin1')).get(10);
    expect(isStream(image) && image.dict.get('Width')).toBe(WIDTH);
  });

  it('a string with the word endobj inside remains whole', () => {
    const bytes = buildPdf(onePage('(endobj) Tj', '', { 10: '[(a) (b)]' }));
    expect(openBytes(bytes).get(10)).toHaveLength(2);
    expect([...walkPages(openBytes(bytes))]).toHaveLength(1);
  });
});

it('a page that is missing from its tree is recovered and enhanced', async () => {
  const objects = imagePage(photo, WIDTH, HEIGHT);
  objects[2] = '<</Type/Pages/Kids[3 0 X]/Count 1>>';
  const { pages, enhanced } = await enhanceBytes(buildPdf(objects), scratch('lost'), DOUBLED);
  expect({ pages, enhanced }).toEqual({ pages: 1, enhanced: 1 });
});

describe('a file whose damage shows after its pages were read', () => {
  /** The cross-reference data lies about the form alone. The scan finds another page after it. */
  function contradicting(before: string, after: string): Buffer {
    const objects = imagePage(photo, WIDTH, HEIGHT, { 20: '<</FT/Tx/T(name)>>' });
    objects[1] = '<</Type/Catalog/Pages 2 0 R/AcroForm 20 0 R>>';
    const page = objects[3] as string;
    objects[3] = page.replace('/Im0 10 0 R', before);
    const bytes = buildPdf(objects);
    const at = bytes.indexOf('20 0 obj');
    const wrong = bytes.toString('latin1').replace(String(at).padStart(10, '0'), String(at + 9).padStart(10, '0'));
    const end = wrong.lastIndexOf('startxref');
    const later = serializeObject(3, page.replace('/Im0 10 0 R', after)).toString('latin1');
    return Buffer.from(wrong.slice(0, end) + later + wrong.slice(end), 'latin1');
  }

  it.each([
    ['/Other 10 0 R', '/Im0 10 0 R', 1],
    ['/Im0 10 0 R', '/Other 10 0 R', 0],
  ])('is analyzed and enhanced by the same pages: %s before, %s after', async (before, after, images) => {
    const bytes = contradicting(before, after);
    const { facts } = await analyzeBytes(bytes, scratch('contradicting'));
    expect([facts.rebuilt, facts.images]).toEqual([true, images]);
    expect(await enhanceBytes(bytes, scratch('contradicting'), DOUBLED)).toMatchObject({ images, enhanced: images });
  });
});

describe('the original as the cause of a result that fails its check', () => {
  const facts = async (bytes: Buffer, name: string) => {
    writeFileSync(scratch(name), bytes);
    return (await analyzeBytes(bytes, scratch(`${name}-facts`))).facts;
  };

  it('is ruled out for a sound file', async () => {
    const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT));
    expect(await contradictsItself(scratch('sound'), await facts(bytes, 'sound'), {})).toBe(false);
  });

  it('is assumed for a file whose cross-reference data has another page than its objects', async () => {
    const bytes = buildPdf(imagePage(photo, WIDTH, HEIGHT));
    const start = bytes.lastIndexOf('startxref');
    const other = serializeObject(3, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>');
    const spliced = Buffer.concat([bytes.subarray(0, start), other, bytes.subarray(start)]);
    expect(await contradictsItself(scratch('spliced'), await facts(spliced, 'spliced'), {})).toBe(true);
  });
});
