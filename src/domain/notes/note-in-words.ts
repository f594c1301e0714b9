import type { EngineNote } from '@burnish/engine/contract';
import { IMAGE_NOTES } from './image-notes.ts';
import type { Sentences } from './note-sentences.ts';
import { PDF_NOTES } from './pdf-notes.ts';

/** The sentence for each note of the engine. Records keep the sentences. */
export const NOTES: Sentences<EngineNote> = { ...IMAGE_NOTES, ...PDF_NOTES };

/** Returns the sentence of a note. */
export const noteInWords = (note: EngineNote): string => (NOTES[note.code] as (note: EngineNote) => string)(note);
