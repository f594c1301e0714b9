import type { PdfParameters } from '@burnish/contract/engine';
import { assertWorkWithin } from '../work-limits.ts';
import type { PdfFacts } from './facts.ts';
import { isLeftOut } from './left-out.ts';
import { isWhole, type ImageWork } from './work.ts';

/** Whether the work on a picture changes nothing: only its text is read. */
export const isReadOnly = ({ reads, resize, color, mask }: ImageWork): boolean =>
  reads !== undefined && !resize && !color && mask === undefined;

/**
 * Marks the pictures whose text is read, and adds those that do not change: each is seen whole, and fills one page that no other
 * picture fills. Whether the page has text of its own is found when it is read.
 * @throws EngineError TOO_MANY_PIXELS
 */
export function withReading(facts: PdfFacts, parameters: PdfParameters, work: readonly ImageWork[]): ImageWork[] {
  if (!parameters.text) return [...work];
  const leavesOut = isLeftOut(parameters);
  const filling = [...facts.eligible, ...facts.bilevel].filter((image) => image.page === true);
  const counts = new Map<number, number>();
  for (const page of filling.flatMap(({ drawnOn }) => drawnOn)) counts.set(page, (counts.get(page) ?? 0) + 1);
  const all = new Map(work.map((each) => [each.number, each]));
  let pixels = 0;
  for (const image of filling) {
    const { number, width, height, parts, drawnOn, hidden } = image;
    const [page, ...others] = drawnOn;
    const isAlone = page !== undefined && others.length === 0 && counts.get(page) === 1;
    if (!isAlone || hidden || leavesOut(image) || ('mask' in image && !isWhole(image))) continue;
    assertWorkWithin('workPixels', (pixels += width * height));
    const known = all.get(number);
    all.set(number, {
      ...(known ?? { number, width, height, resize: false, color: false, ...(parts && { parts }) }),
      reads: page,
    });
  }
  return [...all.values()].sort((one, two) => one.number - two.number);
}
