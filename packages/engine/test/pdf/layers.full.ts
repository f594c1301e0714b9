import { describe, expect, it } from '@jest/globals';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { xObject } from './made-pictures.ts';
import { flateImage, photograph } from './pictures.ts';
import { DOUBLED, HEIGHT, WIDTH, analyzeBytes, enhanceBytes } from './support.ts';

const scratch = await scratchFolder();
const DRAW = `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im0 Do Q`;

interface Layered {
  /** Content of the page */
  content?: string;
  /** More entries of the image */
  image?: string;
  /** The default configuration */
  configuration?: string;
  more?: Objects;
}

/** A page with an image and two layers: 20, which is off, and 21. */
function layered({ content = DRAW, image = '', configuration = '/OFF[20 0 R]', more = {} }: Layered): Objects {
  const properties = '/Properties<</Off 20 0 R/On 21 0 R/Set 22 0 R>>';
  const objects = onePage(content, `/XObject<</Im0 10 0 R/Fm0 11 0 R>>${properties}`, {
    10: xObject(flateImage(photograph(WIDTH, HEIGHT)), image),
    11: {
      dict: '/Type/XObject/Subtype/Form/BBox[0 0 600 600]/OC 20 0 R/Resources<</XObject<</Im0 10 0 R>>>>',
      data: DRAW,
    },
    20: '<</Type/OCG/Name(off)>>',
    21: '<</Type/OCG/Name(on)>>',
    ...more,
  });
  objects[1] = `<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[20 0 R 21 0 R]/D<<${configuration}>>>>>>`;
  return objects;
}

const set = (entries: string): Objects => ({ 22: `<</Type/OCMD${entries}>>` });

describe('an image in a layer that is off', () => {
  it.each<[string, Layered]>([
    ['by its own entry', { image: '/OC 20 0 R' }],
    ['by marked content', { content: `/OC /Off BDC ${DRAW} EMC` }],
    ['by marked content around other marks', { content: `/OC /Off BDC /P BMC EMC /Span <</A 1>> BDC ${DRAW} EMC EMC` }],
    ['by the form that draws it', { content: '/Fm0 Do' }],
    ['by a set without a layer that is on', { image: '/OC 22 0 R', more: set('/OCGs[20 0 R]') }],
    ['by a set that wants all layers on', { image: '/OC 22 0 R', more: set('/OCGs[20 0 R 21 0 R]/P/AllOn') }],
    ['by an expression', { image: '/OC 22 0 R', more: set('/VE[/And 21 0 R[/Not[/Not 20 0 R]]]') }],
    ['by a state that holds for all', { image: '/OC 20 0 R', configuration: '/BaseState/OFF/ON[21 0 R]' }],
  ])('%s is not charged and not changed unless the caller requests it', async (_, given) => {
    const bytes = buildPdf(layered(given));
    const { analysis, facts } = await analyzeBytes(bytes, scratch('off'));
    expect(analysis).toMatchObject({ totalCredits: 0, statistics: { images: 1, resizeEligible: 0 } });
    expect(facts.eligible).toMatchObject([{ hidden: true }]);
    expect((await enhanceBytes(bytes, scratch('off'), DOUBLED)).enhanced).toBe(0);
    const asked = await enhanceBytes(bytes, scratch('asked'), DOUBLED, { hiddenLayers: true });
    expect(asked).toMatchObject({ enhanced: 1, work: { resizeOnly: 1 } });
  });

  it.each<[string, Layered]>([
    ['no layer', {}],
    ['a layer that is on', { image: '/OC 21 0 R' }],
    ['a set with one layer that is on', { image: '/OC 22 0 R', more: set('/OCGs[20 0 R 21 0 R]') }],
    ['marked content that has ended', { content: `/OC /Off BDC EMC ${DRAW}` }],
    ['a layer that is off, and drawn outside of it too', { content: `/Fm0 Do ${DRAW}` }],
  ])('but one in %s is enhanced', async (_, given) => {
    expect((await enhanceBytes(buildPdf(layered(given)), scratch('on'), DOUBLED)).enhanced).toBe(1);
  });
});
