import { describe, expect, it } from '@jest/globals';
import { createContentWalker } from '../../src/pdf/pages/content-walker.ts';
import type { InlineImage } from '../../src/pdf/images/inline-image.ts';
import { drawsOfPage } from '../../src/pdf/pages/page-draws.ts';
import { walkPages } from '@burnish/pdf';
import { buildPdf, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';
import { computeResolution } from './support.ts';

/** 100 × 50 pixels: at 72 points wide, 100 pixels an inch. */
const IMAGE = {
  dict: '/Type/XObject/Subtype/Image/Width 100/Height 50/ColorSpace/DeviceGray/BitsPerComponent 8',
  data: '',
};
const form = (content: string, more = '') => ({
  dict: `/Type/XObject/Subtype/Form/BBox[0 0 1000 1000]${more}`,
  data: content,
});
const IMAGES = '/XObject<</Im0 10 0 R>>';

/** What a page draws: image, resolution along rows and columns, how often. */
function drawn(objects: Objects): string[] {
  const pdf = openBytes(buildPdf(objects));
  const walker = createContentWalker(pdf);
  return [...walkPages(pdf)].flatMap((page) =>
    drawsOfPage(pdf, walker, page).map(({ image, matrix, count, inPattern }) => {
      const size: Pick<InlineImage, 'width' | 'height'> =
        typeof image === 'number' ? { width: 100, height: 50 } : image;
      const { x, y } = computeResolution(matrix, size.width, size.height);
      const id = typeof image === 'number' ? image : 'inline';
      return `${id} ${x.toFixed(1)} ${y.toFixed(1)}${count > 1 ? ` x${count}` : ''}${inPattern ? ' pattern' : ''}`;
    }),
  );
}

const page = (content: string, more: Objects = {}, resources = IMAGES, entries = '') =>
  drawn(onePage(content, resources, { 10: IMAGE, ...more }, entries));

describe('effective resolution', () => {
  it('is pixels over inches along each side of the image', () => {
    expect(page('72 0 0 36 0 0 cm /Im0 Do')).toEqual(['10 100.0 100.0']);
    expect(page('144 0 0 18 0 0 cm /Im0 Do')).toEqual(['10 50.0 200.0']);
  });

  it('does not change if the image is rotated, sheared along its columns or mirrored', () => {
    expect(page('0 72 -36 0 99 99 cm /Im0 Do')).toEqual(['10 100.0 100.0']);
    expect(page('-72 0 0 -36 0 0 cm /Im0 Do')).toEqual(['10 100.0 100.0']);
  });

  it('multiplies matrices and restores them at Q', () => {
    expect(page('2 0 0 2 0 0 cm q 72 0 0 36 0 0 cm /Im0 Do Q q 36 0 0 18 0 0 cm /Im0 Do Q')).toEqual([
      '10 50.0 50.0',
      '10 100.0 100.0',
    ]);
  });

  it('tolerates Q without q, an unknown operator and invalid bytes', () => {
    expect(page('Q Q foo ) >> ] 72 0 0 36 0 0 cm /Im0 Do')).toEqual(['10 100.0 100.0']);
  });

  it('counts equal draws', () => {
    expect(page('72 0 0 36 0 0 cm /Im0 Do /Im0 Do /Im0 Do')).toEqual(['10 100.0 100.0 x3']);
  });

  it('applies the UserUnit of the page', () => {
    expect(page('72 0 0 36 0 0 cm /Im0 Do', {}, IMAGES, '/UserUnit 2')).toEqual(['10 50.0 50.0']);
  });

  it('treats the streams of a page as one', () => {
    const objects = onePage('', IMAGES, {
      10: IMAGE,
      5: { dict: '', data: '72 0 0 36' },
      6: { dict: '', data: '0 0 cm /Im0 Do' },
    });
    objects[3] = (objects[3] as string).replace('/Contents 4 0 R', '/Contents[5 0 R 6 0 R]');
    expect(drawn(objects)).toEqual(['10 100.0 100.0']);
  });

  it('uses resources that a page inherits', () => {
    const objects = onePage('72 0 0 36 0 0 cm /Im0 Do', '', { 10: IMAGE });
    objects[2] = `<</Type/Pages/Kids[3 0 R]/Count 1/Resources<<${IMAGES}>>>>`;
    objects[3] = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>';
    expect(drawn(objects)).toEqual(['10 100.0 100.0']);
  });
});

describe('forms in a PDF', () => {
  const resources = '/XObject<</Im0 10 0 R/Fm0 11 0 R>>';

  it('are drawn with their matrix and that of their caller, at each use', () => {
    const more = { 11: form('72 0 0 36 0 0 cm /Im0 Do', `/Matrix[2 0 0 2 0 0]/Resources<<${IMAGES}>>`) };
    expect(page('/Fm0 Do q .5 0 0 .5 0 0 cm /Fm0 Do Q', more, resources)).toEqual(['10 50.0 50.0', '10 100.0 100.0']);
  });

  it('use the resources of their caller if they have none', () => {
    expect(page('/Fm0 Do', { 11: form('72 0 0 36 0 0 cm /Im0 Do') }, resources)).toEqual(['10 100.0 100.0']);
  });

  it('that draw themselves terminate', () => {
    const more = { 11: form('72 0 0 36 0 0 cm /Im0 Do /Fm0 Do', `/Resources<<${resources}>>`) };
    expect(page('/Fm0 Do', more, resources)).toEqual(['10 100.0 100.0']);
  });

  it('count as soft masks of a graphics state', () => {
    const more = { 11: form('72 0 0 36 0 0 cm /Im0 Do', `/Resources<<${IMAGES}>>`) };
    expect(page('2 0 0 2 0 0 cm /GS gs', more, '/ExtGState<</GS<</SMask<</S/Luminosity/G 11 0 R>>>>>>')).toEqual([
      '10 50.0 50.0',
    ]);
  });

  it('count as appearances of annotations, stretched to their rectangle', () => {
    const more = {
      11: form('72 0 0 36 0 0 cm /Im0 Do', `/Resources<<${IMAGES}>>`).dict.replace('[0 0 1000 1000]', '[0 0 72 36]'),
    };
    const objects = { 11: { dict: more[11], data: '72 0 0 36 0 0 cm /Im0 Do' } };
    const annotation = '/Annots[<</Type/Annot/Subtype/Stamp/Rect[100 100 244 172]/AP<</N 11 0 R>>>>]';
    expect(page('', objects, IMAGES, annotation)).toEqual(['10 50.0 50.0']);
  });

  it('count as tiling patterns in the space of the page, whatever the matrix at their use', () => {
    const dict = `/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 72 36]/XStep 72/YStep 36/Matrix[2 0 0 2 0 0]/Resources<<${IMAGES}>>`;
    const more = { 11: { dict, data: '72 0 0 36 0 0 cm /Im0 Do' } };
    expect(page('5 0 0 5 0 0 cm /Pattern cs /P0 scn 0 0 9 9 re f', more, '/Pattern<</P0 11 0 R>>')).toEqual([
      '10 50.0 50.0 pattern',
    ]);
  });
});

describe('inline images in a PDF', () => {
  it('are listed with their size, and parsing continues after them', () => {
    const content = 'q 72 0 0 36 0 0 cm BI /W 100 /H 50 /CS /G /BPC 8 /F /AHx ID 00 EI> EI Q 72 0 0 36 0 0 cm /Im0 Do';
    expect(page(content)).toEqual(['inline 100.0 100.0', '10 100.0 100.0']);
  });

  it('may contain EI among their samples', () => {
    const samples = `ab EI c${String.fromCharCode(0, 200)} EI `.padEnd(20, 'x');
    expect(page(`72 0 0 36 0 0 cm BI /W 10 /H 2 /CS /G /BPC 8 ID ${samples}\nEI /Im0 Do`)).toEqual([
      'inline 10.0 4.0',
      '10 100.0 100.0',
    ]);
  });
});

describe('images in the glyphs of Type 3 fonts', () => {
  const font = (glyphs: string, resources = '') =>
    `<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<<${glyphs}>>/Encoding<<>>${resources}>>`;
  const bitmap = { dict: '', data: '9 0 0 0 9 9 d1 BI /W 8 /H 8 /IM true /BPC 1 ID ........\nEI' };

  function glyphImages(content: string, more: Objects, resources = '/Font<</T3 20 0 R>>'): number {
    const pdf = openBytes(buildPdf(onePage(content, resources, { 10: IMAGE, ...more })));
    const walker = createContentWalker(pdf);
    for (const each of walkPages(pdf)) expect(drawsOfPage(pdf, walker, each)).toEqual([]);
    return walker.glyphImages().size;
  }

  it('are counted once, and are no draws of the page', () => {
    const objects = { 20: font('/a 21 0 R/b 22 0 R/c 23 0 R', `/Resources<<${IMAGES}>>`), 21: bitmap, 22: bitmap };
    const named = { dict: '', data: '9 0 d0 /Im0 Do' };
    expect(glyphImages('BT /T3 9 Tf (ab) Tj /T3 5 Tf (c) Tj ET', { ...objects, 23: named })).toBe(3);
  });

  it('are searched in selected fonts of that type only', () => {
    expect(glyphImages('BT (ab) Tj ET', { 20: font('/a 21 0 R'), 21: bitmap })).toBe(0);
    const truetype = '<</Type/Font/Subtype/TrueType/CharProcs<</a 21 0 R>>>>';
    expect(glyphImages('/T3 9 Tf', { 20: truetype, 21: bitmap })).toBe(0);
  });

  it('terminate if a glyph uses its own font', () => {
    const own = font('/a 21 0 R', '/Resources<</Font<</T3 20 0 R>>>>');
    expect(glyphImages('/T3 9 Tf', { 20: own, 21: { ...bitmap, data: `/T3 9 Tf (a) Tj ${bitmap.data}` } })).toBe(1);
  });
});
