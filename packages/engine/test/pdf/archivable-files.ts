import { readFileSync } from 'node:fs';
import { readTrueType } from '../../src/pdf/archive/fonts/true-type.ts';
import { fontFile } from '../../src/report/font-files.ts';
import { buildPdf, onePage, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';

/** Samples of a grey scan. */
export const SCAN = { width: 40, height: 30, data: Buffer.from(Array.from({ length: 1200 }, (_, k) => 255 - (k % 7))) };

const DICT = `/Type/XObject/Subtype/Image/Width ${SCAN.width}/Height ${SCAN.height}/BitsPerComponent 8/ColorSpace/DeviceGray`;
const image = (more: string, data: Buffer): BuiltObject => ({ dict: `${DICT}${more}`, data });

/** A font that is not embedded, for invisible text. */
export const TEXT_FONT: Objects = {
  20: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/LastChar 65/Widths[500]>>',
};

/** A page of a scan under invisible text. */
export const scanPage = (): Objects =>
  onePage('q 612 0 0 792 0 0 cm /Im0 Do Q BT 3 Tr /F1 9 Tf (AAA) Tj ET', '/XObject<</Im0 10 0 R>>/Font<</F1 20 0 R>>', {
    10: image('', SCAN.data),
    ...TEXT_FONT,
  });

/** A file with all that PDF/A forbids and no page shows. */
export function archivable(): Buffer {
  const content = `/G gs q 100 0 0 100 0 0 cm /Im0 Do Q q 100 0 0 100 200 0 cm /Im1 Do Q /Fm0 Do /P cs /Tile scn 0 0 9 9 re f
    0 1 0 0 k 20 20 9 9 re f /DeviceCMYK CS 0 0 0 1 SC 0 0 m 9 9 l S /Spot cs 1 scn 40 40 9 9 re f`;
  const resources = `/XObject<</Im0 10 0 R/Im1 12 0 R/Fm0 13 0 R>>/ExtGState<</G<</HT 14 0 R/TR/Identity/TR2/Default/ca .5>>>>
    /Pattern<</Tile 15 0 R>>/ColorSpace<</P/Pattern/Spot[/Separation/Gold/DeviceCMYK 16 0 R]>>`;
  const page = `/AA<</O 17 0 R>>/Group<</S/Transparency/CS/DeviceCMYK>>/Annots[18 0 R 19 0 R 22 0 R]`;
  return buildPdf({
    ...onePage(content, resources, {}, page),
    1: `<</Type/Catalog/Pages 2 0 R/OpenAction 17 0 R/AA<</WC 17 0 R>>/Names<</JavaScript<</Names[(a) 17 0 R]>>>>
      /AcroForm<</Fields[19 0 R]/XFA 21 0 R/NeedAppearances true>>/Outlines 23 0 R/Requirements[<</S/EnableJavaScripts>>]
      /OCProperties<</OCGs[25 0 R]/D<</Order[]/AS[]>>>>>>`,
    10: image('/Interpolate true/OPI<</2.0<<>>>>/Alternates[<</Image 12 0 R>>]/Metadata 26 0 R', SCAN.data),
    12: image('/Filter/LZWDecode', encodeLzw(SCAN.data)),
    // A form without resources of its own
    13: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 99 99]', data: '/G gs 0 0 9 9 re f' },
    14: '<</Type/Halftone/HalftoneType 1/Frequency 60/Angle 45/SpotFunction/Round>>',
    15: {
      dict: '/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>',
      data: '1 0 0 0 k 0 0 4 4 re f',
    },
    16: '<</FunctionType 2/Domain[0 1]/C0[0 0 0 0]/C1[0 .2 1 0]/N 1>>',
    17: '<</S/JavaScript/JS(app.alert)>>',
    18: '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F(calc)>>>>',
    19: '<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[0 0 9 9]/AP<</N 24 0 R/D 24 0 R>>/AA<</K 17 0 R>>/MK<<>>>>',
    21: { dict: '', data: '<xdp/>' },
    22: '<</Type/Annot/Subtype/Link/Rect[9 9 19 19]/A<</S/URI/URI(https://example.com)>>>>',
    23: '<</Type/Outlines/First 27 0 R/Last 27 0 R/Count 1>>',
    24: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>', data: '0 0 9 9 re f' },
    25: '<</Type/OCG/Name(layer)>>',
    26: { dict: '/Type/Metadata/Subtype/XML', data: '<not xmp' },
    27: '<</Title(a)/Parent 23 0 R/A 17 0 R>>',
  });
}

/** Encodes data as LZW of nine bits, with a clear-table code before the codes would need ten. */
export function encodeLzw(data: Buffer): Buffer {
  const codes = [256];
  for (const [k, byte] of data.entries()) {
    if (k > 0 && k % 200 === 0) codes.push(256);
    codes.push(byte);
  }
  const bits = [...codes, 257].map((code) => code.toString(2).padStart(9, '0')).join('');
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2)));
}

const NOTO = readFileSync(fontFile('NotoSans-Regular.ttf'));
const noto = readTrueType(NOTO);
const glyphOfCharacter = (character: string): number => noto.glyphOf!(3, 1, character.codePointAt(0)!)!;
export const widthOfCharacter = (character: string): number => noto.widthOfNumber(glyphOfCharacter(character))!;

export interface FontPage {
  composite: boolean;
  /** A string of the content */
  shown: string;
  /** Width of A, thousandths of an em */
  width: number;
  flags: number;
  /** More entries of the font */
  entries: string;
  mode: number;
  program: Buffer;
}

/** A page that shows the letter A in a TrueType font. */
export const SIMPLE: FontPage = {
  composite: false,
  shown: '(A)',
  width: widthOfCharacter('A'),
  flags: 32,
  entries: '/Encoding/WinAnsiEncoding',
  mode: 0,
  program: NOTO,
};
export const COMPOSITE: FontPage = {
  ...SIMPLE,
  composite: true,
  shown: `<${glyphOfCharacter('A').toString(16).padStart(4, '0')}>`,
  flags: 4,
  entries: '/Encoding/Identity-H',
};

export function fontPage({ composite, shown, width, flags, entries, mode, program }: FontPage): Objects {
  const named = '/Type/Font/BaseFont/NotoSans';
  const system = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>';
  const simple = `<<${named}/Subtype/TrueType/FirstChar 65/LastChar 65/Widths[${width}]/FontDescriptor 22 0 R${entries}>>`;
  return onePage(`BT /F1 20 Tf ${mode} Tr 50 50 Td ${shown} Tj ET`, '/Font<</F1 20 0 R>>', {
    20: composite ? `<<${named}/Subtype/Type0/DescendantFonts[21 0 R]${entries}>>` : simple,
    21: `<<${named}/Subtype/CIDFontType2${system}/W[${glyphOfCharacter('A')}[${width}]]/FontDescriptor 22 0 R>>`,
    22: `<</Type/FontDescriptor/FontName/NotoSans/Flags ${flags}/FontBBox[0 0 999 999]/ItalicAngle 0/Ascent 999/Descent 0/CapHeight 999/StemV 80/FontFile2 23 0 R>>`,
    23: { dict: `/Length1 ${program.length}`, data: program },
  });
}
