import { useState } from 'preact/hooks';
import {
  droppedPages,
  keptPages,
  MAX_PAGE_CHOICES,
  type PageChoices,
  type PdfPage,
  type ParametersRepresentation,
  creditRange,
} from '@burnish/contract';
import type { Enhancement, Upload } from '../api/types.ts';
import type { LongList } from '../api/use-listing.ts';
import { usePdfPrice } from '../enhance/pdf-price.ts';
import { Toggle } from '../enhance/toggle.tsx';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/notice.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { useAction } from '../ui/use-action.ts';
import { orderEnhancement } from './actions.ts';

/** Each page of a cleaned PDF with a switch that keeps the original page, and a button that makes the new version. */
export function KeptPages({
  upload,
  enhancement,
  pages,
  onOrdered,
}: {
  upload: Upload;
  enhancement: Enhancement;
  /** The pages that the enhancement changed */
  pages: LongList<PdfPage>;
  onOrdered: () => void;
}) {
  const { pdf: { pages: before, ...options } = {}, ...others } = enhancement.parameters;
  const { items = [] } = pages;
  const [kept, setKept] = useState<readonly number[]>(keptPages(before));
  const dropped = droppedPages(before);
  const chosen: PageChoices = {
    ...Object.fromEntries(dropped.map((page) => [page, 'DROP'])),
    ...Object.fromEntries(kept.map((page) => [page, 'ORIGINAL'])),
  };
  const after = Object.keys(chosen).length === 0 ? undefined : chosen;
  const parameters: ParametersRepresentation = { ...others, pdf: { ...options, ...(after && { pages: after }) } };
  const isNew = JSON.stringify(after) !== JSON.stringify(before);
  const { credits, minCredits = credits, error } = usePdfPrice(isNew ? upload.id : undefined, parameters);
  const order = useAction(() => orderEnhancement(upload.id, { parameters }, { maxCredits: credits }).then(onOrdered));
  const shown = new Set(
    [...items.map(({ page }) => page), ...keptPages(before)].filter((page) => !dropped.includes(page)),
  );

  function choose(page: number, isKept: boolean): void {
    const rest = kept.filter((each) => each !== page);
    setKept(isKept ? [...rest, page].sort((one, two) => one - two) : rest);
  }

  return (
    <details class="more-settings kept-pages">
      <summary>Keep original pages</summary>
      <ul aria-label="Keep original pages">
        {[...shown]
          .sort((one, two) => one - two)
          .map((page) => (
            <li key={page}>
              <Toggle
                label={`Keep the original page ${page}`}
                checked={kept.includes(page)}
                disabled={Object.keys(chosen).length >= MAX_PAGE_CHOICES && !kept.includes(page)}
                onChange={(isKept) => choose(page, isKept)}
              />
            </li>
          ))}
      </ul>
      <ShowMore list={pages} words="More pages" />
      <Trouble error={order.error ?? error} />
      <div class="actions">
        <Button icon="sparkle" busy={order.busy} disabled={!isNew || credits === undefined} onClick={() => order.run()}>
          {credits === undefined || minCredits === undefined
            ? 'New version'
            : `New version for ${creditRange(minCredits, credits)}`}
        </Button>
      </div>
      <p class="hint">An original page costs nothing, and pages that are paid cost nothing again.</p>
    </details>
  );
}
