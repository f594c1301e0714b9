import type { EngineNote } from '@burnish/contract';

/** A function for the sentence of each code: one that is missing does not compile. */
export type Sentences<Note extends EngineNote> = {
  [Code in Note['code']]: (note: Extract<Note, { code: Code }>) => string;
};
