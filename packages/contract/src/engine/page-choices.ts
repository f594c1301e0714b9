/** What becomes of a page of a PDF: it stays as it is in the original, or the result lacks it. */
export const PAGE_CHOICES = ['ORIGINAL', 'DROP'] as const;
export type PageChoice = (typeof PAGE_CHOICES)[number];

/** Choices for pages of a PDF, by their number from 1. */
export type PageChoices = Readonly<Record<string, PageChoice>>;

/** Maximum number of pages in `PageChoices`: 18 kB of JSON. */
export const MAX_PAGE_CHOICES = 1000;

const pagesWith = (choices: PageChoices, wanted: PageChoice): number[] =>
  chosenPages(choices).filter((page) => choices[page] === wanted);

/** Returns the pages that have a choice, and therefore no work of their own. */
export const chosenPages = (choices: PageChoices = {}): number[] => Object.keys(choices).map(Number);

/** Returns the pages that stay as they are in the original. */
export const keptPages = (choices: PageChoices = {}): number[] => pagesWith(choices, 'ORIGINAL');

/** Returns the pages that the result lacks. They are dropped only under an approval. */
export const droppedPages = (choices: PageChoices = {}): number[] => pagesWith(choices, 'DROP');
