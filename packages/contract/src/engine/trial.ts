/** Longest side of the whole picture or page in a trial, pixels. */
export const TRIAL_WHOLE_SIDE = 1024;
/** Longest side of the part in a trial that is shown with all its pixels, pixels of the result. */
export const TRIAL_PART_SIDE = 512;
/** Maximum number of orders that one trial compares. */
export const MAX_TRIED_ORDERS = 4;
