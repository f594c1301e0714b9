/** Maximum number of images or pages that a note names. */
const MAX_NAMED = 10;

/** Joins the first numbers of images or pages for a note. */
export const joinNames = (numbers: readonly (number | string)[]): string =>
  `${numbers.slice(0, MAX_NAMED).join(', ')}${numbers.length > MAX_NAMED ? ' and others' : ''}`;
