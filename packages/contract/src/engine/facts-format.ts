/** Format of the facts about a PDF. It increases whenever their format or meaning changes. Facts of another format are computed again. */
export const FACTS_FORMAT = 10;
