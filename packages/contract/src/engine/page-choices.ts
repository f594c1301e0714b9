/** Pages of a PDF that stay as they are in the original, by their number from 1. */
export type PageChoices = Readonly<Record<string, 'ORIGINAL'>>;

/** Maximum number of pages in `PageChoices`: 18 kB of JSON. */
export const MAX_PAGE_CHOICES = 1000;

export const keptPages = (choices: PageChoices = {}): number[] => Object.keys(choices).map(Number);
