import { isString, type PdfDict, type PdfString, type PdfValue } from '@burnish/pdf';

/** What the document information says, in Unicode and in dates of XMP. */
export interface DocumentFacts {
  title?: string;
  author?: string;
  subject?: string;
  keywords?: string;
  creator?: string;
  producer?: string;
  created?: string;
  modified?: string;
}

const KEYS = {
  Title: 'title',
  Author: 'author',
  Subject: 'subject',
  Keywords: 'keywords',
  Creator: 'creator',
  Producer: 'producer',
  CreationDate: 'created',
  ModDate: 'modified',
} as const satisfies Record<string, keyof DocumentFacts>;

/** Characters of PDFDocEncoding that differ from Latin-1 (ISO 32000-1 annex D.2). */
const DOC_ENCODING = new Map(
  [...'•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž'].map((character, k) => [0x80 + k, character] as const),
);
for (const [k, character] of [...'˘ˇˆ˙˝˛˚˜'].entries()) DOC_ENCODING.set(0x18 + k, character);
DOC_ENCODING.set(0xa0, '€');

/** Characters that XML 1.0 does not allow. */
const NOT_IN_XML =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Reads a text string (ISO 32000-1 section 7.9.2.2). */
export function readText(bytes: Buffer): string {
  const decoded =
    bytes[0] === 0xfe && bytes[1] === 0xff
      ? Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
          .swap16()
          .toString('utf16le')
      : bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
        ? bytes.toString('utf8', 3)
        : Array.from(bytes, (byte) => DOC_ENCODING.get(byte) ?? String.fromCharCode(byte)).join('');
  return decoded.replace(NOT_IN_XML, '').trim();
}

/** Reads a date (ISO 32000-1 section 7.9.4) as one of XMP. @returns undefined for another text */
export function readDate(text: string): string | undefined {
  const parts = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?)?/.exec(text);
  if (parts === null) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , sign, hours, minutes] = parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const isDate = !Number.isNaN(Date.parse(`${local}Z`)) && new Date(`${local}Z`).getUTCDate() === Number(day);
  if (!isDate || Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) return undefined;
  return `${local}${sign === undefined ? 'Z' : `${sign}${hours}:${minutes ?? '00'}`}`;
}

/**
 * Divides a document information into what the XMP says too and the other entries.
 * @param bytesOf returns the bytes of a string
 */
export function readInfo(
  info: PdfDict,
  resolve: (value: PdfValue | undefined) => PdfValue,
  bytesOf: (value: PdfString) => Buffer,
): DocumentFacts {
  const facts: DocumentFacts = {};
  for (const [key, fact] of Object.entries(KEYS)) {
    const value = resolve(info.get(key));
    if (!isString(value)) continue;
    const text = readText(bytesOf(value));
    const known = key.endsWith('Date') ? readDate(text) : text;
    if (known !== undefined && known !== '') facts[fact] = known;
  }
  return facts;
}

/** Returns a document information with the facts that the XMP has, and the other entries as they are. */
export function writeInfo(info: PdfDict, facts: DocumentFacts): PdfDict {
  const written: PdfDict = new Map(info);
  for (const [key, fact] of Object.entries(KEYS)) {
    const value = facts[fact];
    written.delete(key);
    if (value !== undefined) written.set(key, key.endsWith('Date') ? pdfDate(value) : textString(value));
  }
  return written;
}

const pdfDate = (date: string): PdfString => {
  const [, local, zone] = /^(.{19})(.*)$/.exec(date)!;
  const digits = local!.replace(/\D/g, '');
  const text = `D:${digits}${zone === 'Z' ? 'Z' : `${zone!.replace(':', "'")}'`}`;
  return { kind: 'string', bytes: Buffer.from(text, 'latin1'), hex: false };
};

function textString(text: string): PdfString {
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  const bytes = isAscii ? Buffer.from(text, 'latin1') : Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return { kind: 'string', bytes, hex: false };
}

const escaped = (text: string): string => text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The metadata of a PDF/A-2b file (ISO 19005-2 section 6.6). */
export function xmpOf(facts: DocumentFacts): string {
  const { title, author, subject, keywords, creator, producer, created, modified } = facts;
  const simple = (tag: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`   <${tag}>${escaped(value)}</${tag}>`];
  const listed = (tag: string, kind: 'Alt' | 'Seq', value: string | undefined): string[] =>
    value === undefined
      ? []
      : [
          `   <${tag}><rdf:${kind}><rdf:li${kind === 'Alt' ? ' xml:lang="x-default"' : ''}>${escaped(value)}</rdf:li></rdf:${kind}></${tag}>`,
        ];
  return [
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    ' <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">',
    '   <pdfaid:part>2</pdfaid:part>',
    '   <pdfaid:conformance>B</pdfaid:conformance>',
    ...listed('dc:title', 'Alt', title),
    ...listed('dc:creator', 'Seq', author),
    ...listed('dc:description', 'Alt', subject),
    ...simple('pdf:Keywords', keywords),
    ...simple('pdf:Producer', producer),
    ...simple('xmp:CreatorTool', creator),
    ...simple('xmp:CreateDate', created),
    ...simple('xmp:ModifyDate', modified),
    '  </rdf:Description>',
    ' </rdf:RDF>',
    '</x:xmpmeta>',
    '<?xpacket end="w"?>',
  ].join('\n');
}
