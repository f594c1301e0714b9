import { describe, expect, it, test } from '@jest/globals';
import {
  ENLARGING_REASONS,
  IMAGE_KIND_NAMES,
  PAGE_IMAGE_REASONS,
  UNCLEANED_REASONS,
  type EngineNote,
  type EngineNoteCode,
} from '@burnish/contract';
import { noteInWords } from '../../src/domain/notes/note-in-words.ts';
import { imageNotes, pdfNotes } from '../../packages/engine/src/tasks/note-schemas.ts';

type Figures<Code extends EngineNoteCode> = Omit<Extract<EngineNote, { code: Code }>, 'code'>;

const ONE = { first: [10], count: 1 };
const TWO = { first: [10, 11], count: 2 };
const MANY = { first: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], count: 12 };
const mostBytes = 12_345;
const below = { images: 2, lowest: 96, highest: 240, target: 1200, mostTimes: 4, mostSide: 65_500 };
const by = ['waifu2x-photo-n0', 'interpolation'];

/** Figures of each code, with the sentence that a record keeps. */
const SENTENCES: { [Code in EngineNoteCode]: [Figures<Code>, string][] } = {
  FIRST_FRAME_USED: [[{ frames: 12 }, 'Animated: the first of 12 frames was used.']],
  FIRST_PAGE_USED: [[{ pages: 2 }, 'The file has 2 pages; the first was used.']],
  PRIMARY_PICTURE_USED: [[{ pictures: 2 }, 'The file has 2 pictures; the primary one was used.']],
  THUMBNAIL_SKIPPED: [[{}, 'The file begins with a thumbnail; the first page of full size was used.']],
  GAIN_MAP_REMOVED: [
    [{}, 'The HDR gain map of the file was removed. The result looks like the file on a standard display.'],
  ],
  FURTHER_PICTURES_IGNORED: [[{}, 'The file contains further pictures, which were ignored.']],
  PAGE_NOT_CLEANED: [
    [{ because: 'inks' }, 'The page was not cleaned: the picture is in CMYK.'],
    [{ because: 'clean' }, 'The page is clean already.'],
    [{ because: 'one-bit' }, 'The page was not cleaned: the picture consists of black and white only.'],
  ],
  PAGE_TURNED: [[{ degrees: 2 }, 'The page was turned by 2.0 degrees.']],
  SPREAD_TURNED: [
    [
      { left: 1.2, right: 0 },
      'The picture shows two pages. The left one was turned by 1.2 degrees, the right one by 0.0.',
    ],
  ],
  PAGE_SKEWED: [
    [{ degrees: 3.1, because: 'cut' }, 'The page is skewed by 3.1 degrees and stays so: a turn would cut off ink.'],
    [
      { degrees: 9, because: 'slanted' },
      'The page is skewed by 9.0 degrees and stays so: its lines may be slanted by design.',
    ],
  ],
  SURROUND_WHITENED: [[{}, 'The dark surround of the paper was made white.']],
  PAGE_CLEANED: [[{}, 'The paper was made white and even, and the ink dark.']],
  PAGE_LIGHT_EVENED: [
    [{}, 'The light was made even. Nothing was made white, since the paper or most of the page is coloured.'],
  ],
  SPECKS_REMOVED: [[{}, 'Specks were removed.']],
  ENLARGED: [
    [{ by, because: null }, 'Enlarged by waifu2x-photo-n0 and interpolation.'],
    [{ by, because: 'mean' }, 'Enlarged by waifu2x-photo-n0 and interpolation: the mean of FINE and FAST.'],
  ],
  ENLARGED_FROM_JPEG: [
    [
      { by: ['general'], quality: 75 },
      'Enlarged by general: for a photograph from a JPEG of quality 75, FAST gives the better result.',
    ],
  ],
  ENLARGED_WITHOUT_DETAIL: [
    [
      { by: ['general'], mostPixels: 6_250_000 },
      'Enlarged by general: the picture is too large for DETAIL. Send at most 6.25 megapixels for it.',
    ],
  ],
  ENLARGED_IN_DETAIL: [[{ by: ['detail'] }, 'Enlarged by detail, which may invent detail.']],
  FACES_NOT_DETECTED: [
    [{ because: 'inks' }, 'Faces were not detected: the picture is in CMYK.'],
    [{ because: 'no-network' }, 'Faces could not be detected: networks do not run on this machine.'],
  ],
  FACES_TREATED: [
    [{ faces: 0 }, 'No faces were found.'],
    [{ faces: 1 }, 'One face was found and treated gently.'],
    [{ faces: 2 }, '2 faces were found and treated gently.'],
  ],
  TONE_CORRECTED: [
    [{}, 'Tone and colour were corrected a little.'],
    [
      { light: 0.7, contrast: 12, saturation: -5, warmth: -0.2 },
      'Tone and colour were corrected: light +0.7 stops, contrast +12 %, saturation −5 %, warmth −0.2 stops.',
    ],
    [{ light: 1 }, 'Tone and colour were corrected: light +1.0 stops.'],
  ],
  TONE_LEFT: [
    [
      { light: 1.1, because: 'unproven' },
      'The picture seems too bright by 1.1 stops. That stays: nothing clips or is hazy, so the light may be intended.',
    ],
    [{ light: -2, because: 'night' }, 'The picture seems too dark by 2.0 stops. That stays: it shows a night.'],
    [{ warmth: 0.8, because: 'sunset' }, 'The picture seems too warm by 0.8 stops. That stays: it shows a sunset.'],
    [{ warmth: -1, because: 'dusk' }, 'The picture seems too cold by 1.0 stops. That stays: it shows a dusk or a sky.'],
  ],
  SHADOWS_BRIGHTENED: [[{}, 'Dark areas were brightened.']],
  ARTIFACTS_NOT_REDUCED: [
    [{ because: 'format' }, 'Compression artefacts are detected in JPEG files only.'],
    [{ because: 'enlarging' }, 'Compression artefacts are removed while enlarging.'],
    [{ because: 'quality' }, 'The quality of the JPEG leaves no compression artefacts to remove.'],
  ],
  NOISE_TOO_LOW: [[{}, 'The picture has too little noise to remove.']],
  NOISE_REDUCED: [[{ levels: 2 }, 'Noise of about 2.0 levels was reduced.']],
  TONE_UNCHANGED: [
    [{ because: 'inks' }, 'Tone and colour were not changed: the picture is in CMYK.'],
    [{ because: 'needless' }, 'Tone and colour needed no change.'],
  ],
  DRAWING_RECOGNIZED: [
    [{}, 'The picture was classified as a page or a drawing, where noise reduction would harm fine lines.'],
  ],
  RESIZED: [[{ width: 1200, height: 800 }, 'Resized to 1200 × 800 pixels.']],
  QUALITY_FITTED: [[{ quality: 43, mostBytes }, 'The result has quality 43, the largest with at most 12,345 bytes.']],
  CONVERTED_TO_SRGB: [[{}, 'The colours were converted to sRGB.']],
  TRANSPARENCY_REPLACED: [[{ format: 'JPEG' }, 'Transparency was replaced by white: JPEG does not support it.']],
  DEPTH_REDUCED: [[{ bits: 16 }, 'The result has 8 bits a channel; the file had 16.']],
  PNG_COLOUR_REMOVED: [
    [{}, 'The colour space that the PNG names in cICP, gAMA or cHRM was removed: only PNG supports it.'],
  ],
  MAKER_NOTE_REMOVED: [
    [
      {},
      'The MakerNote of the EXIF data was removed, because its offsets cannot be updated. All other EXIF data was kept.',
    ],
  ],
  PRINT_SIZE: [[{ width: 10, height: 7.5, dpi: 300 }, 'Print size: 10.0 × 7.5 cm at 300 DPI.']],
  FIDELITY_MEASURED: [
    [{ psnr: null, maxDifference: 0 }, 'Reduced again, the result is the original, sample by sample.'],
    [
      { psnr: 58.6, maxDifference: 1 },
      'Reduced again, the result differs from the original by at most 1 of 255 levels (PSNR 58.6 dB).',
    ],
  ],
  BELOW_TARGET: [
    [
      below,
      '2 images reach 96 to 240 of 1,200 DPI: an image is enlarged at most 4 times, and to at most 65,500 pixels a side.',
    ],
    [
      { ...below, images: 1, highest: 96 },
      '1 image reaches 96 of 1,200 DPI: an image is enlarged at most 4 times, and to at most 65,500 pixels a side.',
    ],
  ],
  COLORS_CANNOT_CHANGE: [
    [
      { images: TWO },
      'The order names images in `images` whose colours cannot change: 10, 11. The list of images has the numbers of those that can.',
    ],
  ],
  PAGES_DROPPED: [
    [{ pages: ONE, of: 12 }, 'The result is without 1 page of 12, as approved: 10. The original has all pages.'],
    [{ pages: TWO, of: 12 }, 'The result is without 2 pages of 12, as approved: 10, 11. The original has all pages.'],
  ],
  PAGES_NOT_DROPPED: [
    [{ pages: ONE, because: 'fields' }, 'Page 10 stays in the result: it has fields of a form.'],
    [
      { pages: TWO, because: 'shared' },
      'Pages 10, 11 stay in the result: the document shows the same page twice, or stores it inside another object.',
    ],
  ],
  PAGES_KEPT: [
    [
      { pages: ONE },
      'The order keeps 1 page as in the original: 10. Images of these pages stay wherever they are drawn.',
    ],
    [
      { pages: MANY },
      'The order keeps 12 pages as in the original: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others. Images of these pages stay wherever they are drawn.',
    ],
  ],
  STRUCTURE_REPAIRED: [[{}, 'The structure of the PDF was damaged. The result has a repaired structure.']],
  ARCHIVED: [
    [{ removed: [] }, 'The result is PDF/A-2b.'],
    [
      { removed: ['actions', 'xfa'] },
      'The result is PDF/A-2b. It is without scripts and programs, the XFA copy of its form.',
    ],
  ],
  LINEARIZATION_LOST: [
    [{}, 'The original is linearized for fast web view, and the result is not. Use `qpdf --linearize` on it.'],
  ],
  PAGES_TURNED: [
    [{ pages: ONE }, '1 page stood on its head or its side, and is upright now: 10.'],
    [{ pages: TWO }, '2 pages stood on their heads or their sides, and are upright now: 10, 11.'],
  ],
  PAGES_STRAIGHTENED: [
    [{ pages: 1 }, '1 skewed page is straight now, with text, links and marks.'],
    [{ pages: 2 }, '2 skewed pages are straight now, with text, links and marks.'],
  ],
  SURROUNDS_WHITENED: [
    [{ pages: ONE }, '1 page has white instead of the dark surround of the paper: 10.'],
    [{ pages: TWO }, '2 pages have white instead of the dark surround of the paper: 10, 11.'],
  ],
  PAGES_SKEWED: [
    [
      { pages: ONE, because: 'content' },
      'Page 10 stays skewed by more than one degree: something on the page could not turn with its scan.',
    ],
    [{ pages: TWO, because: 'cut' }, 'Pages 10, 11 stay skewed by more than one degree: a turn would cut off ink.'],
  ],
  SPREADS_TURNED_TOGETHER: [
    [
      { pages: ONE },
      '1 scan shows two book pages at different angles: 10. They turn by themselves only without text, drawings or marks over the scan.',
    ],
  ],
  QUALITY_REDUCED: [
    [
      { images: ONE, mostBytes, quality: 80 },
      '1 image has a JPEG quality of at most 80: 10. The PDF would grow beyond 12,345 bytes. Ask for a greater maxGrowth.',
    ],
  ],
  QUALITIES_FITTED: [
    [
      { images: ONE, mostBytes, quality: 43 },
      '1 image has a JPEG quality of 43, so that the result has at most 12,345 bytes: 10. Set a greater maxBytes for a better one.',
    ],
    [
      { images: TWO, mostBytes, quality: 43 },
      '2 images have a JPEG quality of at least 43, so that the result has at most 12,345 bytes: 10, 11. Set a greater maxBytes for a better one.',
    ],
  ],
  ENLARGED_LESS: [
    [
      { images: TWO, mostBytes },
      '2 images are enlarged less than asked: 10, 11. The PDF would grow beyond 12,345 bytes. Ask for a greater maxGrowth or a lower pdfQuality.',
    ],
  ],
  KEPT_FOR_SIZE: [
    [
      { images: ONE, mostBytes },
      '1 image stays as it is: 10. The PDF would grow beyond 12,345 bytes. Ask for a greater maxGrowth, a lower pdfQuality or a lower targetResolution.',
    ],
  ],
  PAGES_NOT_CLEANED: [
    [
      { pages: ONE, enlarged: false, because: 'fixed-colors' },
      'Page 10 keeps an image as it is, at no charge: a picture whose colours cannot change.',
    ],
    [
      { pages: MANY, enlarged: false, because: 'PHOTOGRAPH' },
      'Pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others keep images as they are, at no charge: a photograph that fills no page.',
    ],
    [
      { pages: TWO, enlarged: true, because: 'clean' },
      'Pages 10, 11 have images that are enlarged but not cleaned: a clean page.',
    ],
  ],
  PAGES_SPLIT: [
    [{ pages: 0, of: 12 }, '0 pages of 12 are two pages each of the result, cut at the fold.'],
    [{ pages: 1, of: 1 }, '1 page of 1 is two pages of the result, cut at the fold.'],
    [{ pages: 1200, of: 1300 }, '1,200 pages of 1,300 are two pages each of the result, cut at the fold.'],
  ],
  SPREADS_NOT_SPLIT: [
    [
      { pages: ONE, because: 'not-alone' },
      'Page 10 shows a fold and stays whole: more than one scan, or more than a scan, lies on the page.',
    ],
    [
      { pages: TWO, because: 'not-alone' },
      'Pages 10, 11 show a fold and stay whole: more than one scan, or more than a scan, lies on the page.',
    ],
    [
      { pages: MANY, because: 'limit' },
      'Pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others show a fold and stay whole: a file has at most 2,000 split pages.',
    ],
  ],
  TEXT_ADDED: [
    [{ pages: 1, of: 1 }, '1 page of 1 has a new layer of invisible text, at no charge.'],
    [{ pages: 3, of: 1200 }, '3 pages of 1,200 have a new layer of invisible text, at no charge.'],
  ],
  TEXT_NOT_ADDED: [
    [{ pages: ONE, because: 'own-text' }, 'Page 10 gets no text: a page that has text already.'],
    [
      { pages: MANY, because: 'limit' },
      'Pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others get no text: a page that Tesseract could not read within its limits.',
    ],
    [{ pages: ONE, because: 'direction' }, 'Page 10 gets no text: nothing shows whether it is upright.'],
    [{ pages: TWO, because: 'no-scan' }, 'Pages 10, 11 get no text: a page whose scan cannot be read alone.'],
  ],
  NEED_NOTHING: [
    [
      { images: 1200 },
      'Images whose tone and colour need nothing, and which were kept as they are at no charge: 1,200.',
    ],
  ],
  NO_IMAGE_CHANGED: [
    [{ because: 'needless' }, 'No image of the PDF needs this enhancement.'],
    [{ because: 'no-page' }, 'No image of the PDF can be cleaned.'],
  ],
};

const SAMPLES = Object.entries(SENTENCES).flatMap(([code, samples]) =>
  samples.map(([figures, sentence]) => [sentence, { code, ...figures } as EngineNote] as const),
);
const REASONS: EngineNote[] = [
  ...UNCLEANED_REASONS.map((because) => ({ code: 'PAGE_NOT_CLEANED', because }) as const),
  ...ENLARGING_REASONS.map((because) => ({ code: 'ENLARGED', by, because }) as const),
  ...[...PAGE_IMAGE_REASONS, ...IMAGE_KIND_NAMES].map(
    (because) => ({ code: 'PAGES_NOT_CLEANED', pages: ONE, enlarged: false, because }) as const,
  ),
];

test.each(SAMPLES)('a note of the engine is the sentence "%s"', (sentence, note) => {
  expect(noteInWords(note)).toBe(sentence);
});

describe('every note of the engine', () => {
  const notes = [...SAMPLES.map(([, note]) => note), ...REASONS];

  it('passes the check of results, with all its figures', () => {
    const parsed = notes.map((note) => [imageNotes, pdfNotes].flatMap((schema) => schema.safeParse([note]).data ?? []));
    expect(parsed).toEqual(notes.map((note) => [note]));
  });

  it('has sentences of at most 25 words besides numbers, each with a capital and a full stop', () => {
    const sentences = notes.flatMap((note) => noteInWords(note).split(/(?<=[.!?]) (?=[A-Z])/));
    const isPlain = (text: string): boolean =>
      /^[A-Z\d].*\.$/.test(text) && text.split(' ').filter((word) => /[A-Za-z]/.test(word)).length <= 25;
    expect(sentences.filter((sentence) => !isPlain(sentence))).toEqual([]);
    expect(sentences.join(' ')).not.toContain('undefined');
  });
});
