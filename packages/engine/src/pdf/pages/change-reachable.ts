import { findReachable, type PdfDocument, type PdfValue } from '@burnish/pdf';
import type { Run } from '../run.ts';

/**
 * Changes all objects that the document uses, such as destinations of any kind.
 * @param values earlier changes by object number, which get the new ones
 * @param change returns the value itself without a change
 */
export async function changeReachable(
  pdf: PdfDocument,
  values: Map<number, PdfValue>,
  change: (value: PdfValue) => PdfValue,
  run: Run,
): Promise<void> {
  const live = await findReachable(pdf, run);
  for (let at = 1; at < live.length; at += 1) {
    if (live[at] !== 1) continue;
    const value = values.get(at) ?? pdf.get(at);
    const changed = change(value);
    if (changed !== value) values.set(at, changed);
  }
}
