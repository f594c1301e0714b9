import { IMAGE_KINDS, type ImageKind } from './image-kinds.ts';
import type { ParameterField } from './parameter-field.ts';

/** Parameters for PDFs beyond the contract. Orders give them in the object `pdf`, by these names. */
export const PDF_OPTIONS = {
  colorKinds: {
    type: 'choices',
    description: 'Kinds of images whose tone and colour may change; the list of images has them. Default PHOTOGRAPH.',
    values: IMAGE_KINDS,
    default: ['PHOTOGRAPH'] as readonly ImageKind[],
    enumType: { name: 'EnhancedPdfImageKind', description: 'Kind of an image in a PDF.' },
    flag: { name: 'colorKinds', argument: '<kinds>', help: 'kinds to correct in colour, such as SCAN,CHART' },
  },
  images: {
    type: 'images',
    description:
      'Single images by their number in the list of images, such as {"12": {"color": false}}, which decides regardless of their kind. At most 1,000.',
    flag: { name: 'imageColors', argument: '<list>', help: 'colours of single images: 12=off,14=on' },
  },
  pages: {
    type: 'pages',
    description:
      'Single pages: {"7": "ORIGINAL"} keeps page 7 as it is, and {"7": "DROP"} leaves it out of the result, which always waits for your approval. If an earlier order differs in `pages` alone, pages that it has paid cost nothing again. At most 1,000.',
    flag: { name: 'pages', argument: '<list>', help: 'single pages: 7=keep,9=drop' },
  },
  allowBreakingSignatures: {
    type: 'boolean',
    description: 'Enhances signed PDFs, which breaks their signatures. Default false: they fail with SIGNED_PDF.',
    default: false,
    flag: { name: 'allowBreakingSignatures', help: 'enhance signed PDFs, which invalidates their signatures' },
  },
  archive: {
    type: 'boolean',
    description:
      'Writes the result as PDF/A-2b for archives, at no charge. Scripts and metadata of parts are removed. Default false. Files that cannot become PDF/A fail with NOT_ARCHIVABLE, which names the reasons by page.',
    default: false,
    flag: { name: 'archive', help: 'write PDF/A-2b for archives' },
  },
  compact: {
    type: 'boolean',
    description:
      'Writes only the objects that the document uses, so the file is smaller. Default false, or true with mode DOCUMENT or maxBytes: false appends changes to the unchanged original.',
    default: false,
    flag: { name: 'compact', help: 'write only the objects that the document uses' },
  },
  pdfQuality: {
    type: 'number',
    description:
      'JPEG quality of enhanced images, 1 to 100. Absent: the quality of the source, or the lowest quality whose error is within a bound.',
    integer: true,
    min: 1,
    max: 100,
    flag: { name: 'pdfQuality', argument: '<n>', help: 'JPEG quality of their images, 1 to 100' },
  },
  maxGrowth: {
    type: 'number',
    description:
      'Largest size of the result, as a multiple of the size of the original. Images beyond it get a lower JPEG quality, then a lower scale, or stay unchanged and cost nothing. Absent: 6 times the original, and at least 200 kB more; with mode DOCUMENT alone, the size of the original.',
    min: 1,
    max: 1000,
    flag: { name: 'maxGrowth', argument: '<n>', help: 'maximum size of the result, as a multiple of the original' },
  },
  hiddenLayers: {
    type: 'boolean',
    description: 'Also enhances images in hidden layers. Default false: they stay unchanged and cost nothing.',
    default: false,
    flag: { name: 'hiddenLayers', help: 'also enhance images in hidden layers' },
  },
  split: {
    type: 'boolean',
    description:
      'Makes two pages of each page that is one scan of an open book, cut at the fold. Needs mode DOCUMENT. Default false. It costs nothing. All page numbers of the API stay those of the original.',
    default: false,
    flag: { name: 'split', help: 'make two pages of each scan of an open book' },
  },
  text: {
    type: 'boolean',
    description:
      'Makes scanned pages searchable: adds invisible text to each page that is one scan without text of its own. Needs Tesseract on the instance. Default false. The text adds a few kilobytes to a page, beyond `maxGrowth`, and costs nothing.',
    default: false,
    flag: { name: 'text', help: 'make scanned pages searchable' },
  },
  textLanguages: {
    type: 'string',
    description: 'Languages of the text for Tesseract, at most five, such as `eng+deu`. Default `eng`.',
    pattern: '^[A-Za-z][A-Za-z0-9_]{1,23}(\\+[A-Za-z][A-Za-z0-9_]{1,23}){0,4}$',
    maxLength: 124,
    expected: 'one to five languages such as eng+deu',
    default: 'eng',
    flag: { name: 'textLanguages', argument: '<list>', help: 'languages of the text, such as eng+deu' },
  },
} as const satisfies Record<string, ParameterField>;

export type PdfOptionName = keyof typeof PDF_OPTIONS;

export const isPdfOption = (name: string): name is PdfOptionName => Object.hasOwn(PDF_OPTIONS, name);

/** The name of a parameter in an order: `pdf.pages` for `pages`. */
export const orderName = (name: string): string => (isPdfOption(name) ? `pdf.${name}` : name);
