import { expect, test } from '@jest/globals';
import { outcomeInWords, type ImageOutcome } from '@burnish/contract';
import { imageOutcome } from '../../packages/engine/src/tasks/outcome-schema.ts';

const drawing = { kind: 'DRAWING', reason: 'flat' } as const;
const both = { enlarged: true, color: 'corrected' } as const;

test.each<[ImageOutcome, string]>([
  [{ effect: 'planned', change: both, colorsStay: null }, 'Planned: enlarged and corrected in tone and colour.'],
  [
    { effect: 'planned', change: { enlarged: true, color: null }, colorsStay: { because: 'kind', shows: drawing } },
    'Planned: enlarged. Its colours stay: it counts as a drawing because flat areas cover most of it.',
  ],
  [
    { effect: 'planned', change: { mask: { width: 1200, height: 90 }, isFree: true }, colorsStay: null },
    'Planned: its mask alone enlarged to 1,200 × 90 pixels, free below 128 pixels.',
  ],
  [{ effect: 'mask-done', change: { mask: null, isFree: false } }, 'Its mask alone enlarged. Its own pixels stay.'],
  [{ effect: 'done', change: { enlarged: false, color: 'cleaned' }, colorsStay: null, below: null }, 'Cleaned.'],
  [
    { effect: 'done', change: { enlarged: true, color: 'cleaned' }, colorsStay: null, below: { because: 'growth' } },
    'Enlarged, and cleaned unless the notes say that it was not. It is enlarged less, so that the PDF stays within its limit.',
  ],
  [
    { effect: 'done', change: both, colorsStay: null, below: { because: 'scale', target: 1200, most: 4 } },
    'Enlarged and corrected in tone and colour. It stays below 1,200 DPI: an image is enlarged at most 4 times.',
  ],
  [{ effect: 'kept', because: 'needless' }, 'Kept: its tone and colour need no change.'],
  [{ effect: 'kept', because: 'growth' }, 'Kept: the PDF would grow beyond its limit. See the notes.'],
  [{ effect: 'left-alone', because: 'kept-page' }, 'Unchanged: the order keeps its page.'],
  [{ effect: 'left-alone', because: 'jbig2' }, 'Unchanged: it has one bit per pixel (JBIG2).'],
  [
    {
      effect: 'unchanged',
      sizeStays: { because: 'enough', resolution: 1200, target: 300 },
      colorsStay: { because: 'chosen' },
    },
    'Unchanged: its 1,200 DPI are enough, as the order asks for 300 DPI, and its colours stay, as the order asks.',
  ],
  [
    {
      effect: 'unchanged',
      sizeStays: { because: 'threshold', target: 300, times: 1.1, threshold: 1.2 },
      colorsStay: null,
    },
    'Unchanged: for 300 DPI it would grow only 1.10 times, and the order asks for more than 1.2 times.',
  ],
  [
    { effect: 'unchanged', sizeStays: { because: 'no-extent' }, colorsStay: { because: 'inks' } },
    'Unchanged: it is drawn without extent, and its colours stay: they are inks, or define the opacity of other content.',
  ],
  [
    { effect: 'unchanged', sizeStays: { because: 'not-asked' }, colorsStay: { because: 'no-page', shows: drawing } },
    'Unchanged: the order asks for no enlargement, and it is not cleaned: it counts as a drawing because flat areas cover most of it, and fills no page.',
  ],
])('%j reaches the report from its child as a sentence', (outcome, words) => {
  expect(outcomeInWords(imageOutcome.parse(outcome))).toBe(words);
});
