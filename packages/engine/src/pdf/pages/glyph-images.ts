import { decodeContent } from './decode-content.ts';
import type { Draw } from './draw-list.ts';
import { assertWorkWithin } from '../work-limits.ts';
import { isDict, isName, isRef, isStream, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';

/** Images in the glyphs of Type 3 fonts, by object or inline. They are text on the page, so they are only counted. */
export interface GlyphImages {
  /** Searches a selected font, each font once; fonts selected inside glyphs are not searched. */
  look(font: PdfValue | undefined, resources: PdfDict): void;
  found(): ReadonlySet<Draw['image']>;
}

export function createGlyphImages(
  pdf: PdfDocument,
  walk: (content: Buffer, resources: PdfDict) => readonly Draw[],
): GlyphImages {
  const seen = new Set<unknown>();
  const found = new Set<Draw['image']>();
  let inGlyph = false;

  return {
    look(reference, resources) {
      const key = isRef(reference) ? reference.number : reference;
      if (inGlyph || reference === undefined || seen.has(key)) return;
      seen.add(key);
      const font = pdf.resolve(reference);
      const subtype = isDict(font) ? pdf.resolve(font.get('Subtype')) : null;
      const glyphs = isDict(font) ? pdf.resolve(font.get('CharProcs')) : null;
      if (!isDict(font) || !isName(subtype) || subtype.value !== 'Type3' || !isDict(glyphs)) return;
      const own = pdf.resolve(font.get('Resources'));
      inGlyph = true;
      try {
        for (const each of glyphs.values()) {
          const glyph = pdf.resolve(each);
          if (!isStream(glyph)) continue;
          const draws = walk(decodeContent(pdf, [glyph]), isDict(own) ? own : resources);
          for (const { image } of draws) found.add(image);
          assertWorkWithin('images', found.size);
        }
      } finally {
        inGlyph = false;
      }
    },
    found: () => found,
  };
}
