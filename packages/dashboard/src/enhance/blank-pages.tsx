import { droppedPages, MAX_PAGE_CHOICES, type PageChoices } from '@burnish/contract';
import { Picture } from '../compare/picture.tsx';
import { Toggle } from './toggle.tsx';

/** Blank pages that are shown, each with a switch. */
const MOST_SHOWN = 100;

/** The pages that the analysis found blank, and others that an order drops, each with a switch that leaves it out of the result. */
export function BlankPages({
  uploadId,
  blank,
  choices = {},
  onChange,
}: {
  uploadId: string;
  blank: readonly number[];
  choices: PageChoices | undefined;
  onChange: (choices: PageChoices | undefined) => void;
}) {
  const dropped = droppedPages(choices);
  const pages = [...new Set([...dropped, ...blank.slice(0, MOST_SHOWN)])].sort((one, two) => one - two);
  if (pages.length === 0) return null;
  const isFull = Object.keys(choices).length >= MAX_PAGE_CHOICES;

  function choose(page: number, isDropped: boolean): void {
    const others = Object.entries(choices).filter(([other]) => other !== String(page));
    const chosen: PageChoices = Object.fromEntries(isDropped ? [...others, [page, 'DROP'] as const] : others);
    onChange(Object.keys(chosen).length === 0 ? undefined : chosen);
  }

  return (
    <details class="more-settings" open={dropped.length > 0}>
      <summary>Blank pages</summary>
      <p class="hint">
        The result can leave them out. It then waits for your approval, and the original keeps all pages.
      </p>
      <ul class="image-choices" aria-label="Blank pages">
        {pages.map((page) => (
          <li key={page}>
            <Picture src={`/v1/uploads/${uploadId}/pdf-pages/${page}/preview`} alt="" lazy />
            <Toggle
              label={`Drop page ${page}`}
              checked={dropped.includes(page)}
              disabled={isFull && choices[page] === undefined}
              onChange={(isDropped) => choose(page, isDropped)}
            >
              {blank.includes(page) ? 'It shows no ink' : 'Your order drops it'}
            </Toggle>
          </li>
        ))}
      </ul>
    </details>
  );
}
