/** Names of the Latin glyphs in the order of the CFF charset ISOAdobe (Adobe technical note 5176, appendix C), without `.notdef`. */
const NAMES =
  `space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma
  hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E
  F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e f g h i
  j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling fraction yen florin section
  currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered
  paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute
  circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE
  ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter
  divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute
  Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave
  Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute
  acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave
  ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron`.split(
    /\s+/,
  );

/** The characters of these names: ASCII with the quotes of its time, then Latin. */
const CHARACTERS = [
  ...Array.from({ length: 95 }, (_, k) => String.fromCharCode(32 + k))
    .join('')
    .replace("'", '’')
    .replace('`', '‘'),
  ..."¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß",
  ...'¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž',
];

/** Names by their standard identifier of CFF; 0 is `.notdef`. */
export const STANDARD_STRINGS = ['.notdef', ...NAMES];
/** Number of the standard identifiers of CFF, also of those that this list does not name */
export const STANDARD_STRING_COUNT = 391;

const UNICODES = new Map(NAMES.map((name, k) => [name, CHARACTERS[k]!.codePointAt(0)!]));
UNICODES.set('Euro', 0x20ac);
const NAMES_OF = new Map([...UNICODES].map(([name, unicode]) => [unicode, name]));

/** Returns the character of a glyph by its name in the Adobe Glyph List. @returns undefined for a name that is not Latin */
export function unicodeOf(name: string): number | undefined {
  const [, digits] = /^uni([0-9A-F]{4})$/.exec(name) ?? [];
  return digits === undefined ? UNICODES.get(name) : parseInt(digits, 16);
}

/** A name for each code. */
export type Encoding = ReadonlyMap<number, string>;

/** Characters of the codes 0x80 to 0x9f of Windows code page 1252, which some versions of Node.js decode as Latin-1. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function encodingBy(characterOf: (code: number) => string): Encoding {
  const names = new Map<number, string>();
  for (let code = 32; code < 256; code += 1) {
    const found = NAMES_OF.get(characterOf(code).codePointAt(0)!);
    if (found !== undefined) names.set(code, found);
  }
  return names;
}

const inWindows = (code: number): string => WINDOWS[code - 0x80] ?? String.fromCharCode(code);
const macintosh = new TextDecoder('macintosh');

/** First codes of runs in the standard encoding (ISO 32000-1 annex D.2), by the identifier of their first glyph. */
const RUNS: readonly (readonly [identifier: number, code: number, length: number])[] = [
  [1, 32, 95],
  [96, 161, 15],
  [111, 177, 4],
  [115, 182, 8],
  [123, 191, 1],
  [124, 193, 8],
  [132, 202, 2],
  [134, 205, 4],
  [138, 225, 1],
  [139, 227, 1],
  [140, 232, 4],
  [144, 241, 1],
  [145, 245, 1],
  [146, 248, 4],
];

export const STANDARD_ENCODING: Encoding = new Map(
  RUNS.flatMap(([identifier, code, length]) =>
    Array.from({ length }, (_, k) => [code + k, STANDARD_STRINGS[identifier + k]!] as const),
  ),
);

/** The encodings that a font may name (ISO 32000-1 annex D), as far as their glyphs are Latin. */
export const NAMED_ENCODINGS: Record<string, Encoding> = {
  StandardEncoding: STANDARD_ENCODING,
  WinAnsiEncoding: new Map([...encodingBy(inWindows), [0xa0, 'space'], [0xad, 'hyphen']]),
  MacRomanEncoding: new Map([...encodingBy((code) => macintosh.decode(Uint8Array.of(code))), [0xca, 'space']]),
};
