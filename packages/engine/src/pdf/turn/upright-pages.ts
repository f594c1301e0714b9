import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { isDict, quarterTurnsOf, walkPages, type ObjectChanges, type PdfDict, type PdfDocument } from '@burnish/pdf';
import { yieldToEvents, type Run } from '../run.ts';

/**
 * Turns pages by their `Rotate`: all that lies on a page turns with it, and no other object changes.
 * @param directions quarter turns clockwise, by the number of the page from 1
 * @param changes earlier changes of the file
 */
export async function turnUpright(
  pdf: PdfDocument,
  directions: ReadonlyMap<number, QuarterTurns>,
  changes: ObjectChanges,
  run: Run,
): Promise<ObjectChanges> {
  if (directions.size === 0) return changes;
  const values = new Map(changes.values);
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const turns = directions.get(number);
    if (turns === undefined) continue;
    await yieldToEvents(run);
    const given = values.get(page.number);
    const dict: PdfDict = new Map(isDict(given) ? given : page.dict);
    dict.set('Rotate', 90 * ((quarterTurnsOf(pdf, page.dict) + turns) % 4));
    // A picture of the page as it was
    dict.delete('Thumb');
    values.set(page.number, dict);
  }
  return { ...changes, values };
}
