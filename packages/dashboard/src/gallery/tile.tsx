import { useState } from 'preact/hooks';
import { explainInOneText } from '@burnish/contract';
import type { UploadWithEnhancements } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import { describeFile, keptUntil } from '../uploads/facts.ts';
import { newestResult } from '../uploads/results.ts';
import { overallState, priceOfAll, uploadState } from '../uploads/words.ts';
import { TilePicture } from './tile-picture.tsx';

/** One upload in the gallery: a tile of the grid, or a row of the list. */
export function Tile({
  upload,
  isActive,
  isScrolling,
  isSelected,
  measure,
  onSelect,
  ...item
}: {
  upload: UploadWithEnhancements;
  /** The one tile that the Tab key reaches */
  isActive: boolean;
  isScrolling: boolean;
  /** Measures its row; undefined where all rows are equally high */
  measure: ((element: HTMLElement | null) => void) | undefined;
  isSelected: boolean;
  /** @param isRange selects all between the last one and this */
  onSelect: (isRange: boolean) => void;
} & ItemProps) {
  const [isPinned, setPinned] = useState(false);
  const [isPeeking, setPeeking] = useState(false);
  const { id, originalFilename: name } = upload;
  const result = newestResult(upload);
  const state = overallState(upload);
  const price = priceOfAll(upload);
  const tabIndex = isActive ? 0 : -1;
  const failed = uploadState(upload).tone === 'bad' ? upload : upload.enhancements.at(-1);
  return (
    <li
      {...item}
      {...(measure !== undefined && { ref: measure })}
      class={isSelected ? 'tile selected' : 'tile'}
      data-id={id}
      onKeyDown={({ key, ctrlKey, metaKey }) =>
        key.toLowerCase() === 'b' && !ctrlKey && !metaKey && result !== undefined && setPinned(!isPinned)
      }
    >
      <TilePicture upload={upload} result={result} isBefore={isPinned || isPeeking} isScrolling={isScrolling} />
      {state.tone === 'bad' && (
        <p class="tile-trouble small">
          {failed !== undefined && explainInOneText(failed.errorCode, failed.errorDetail ?? '')}
        </p>
      )}
      <div class="tile-words">
        <a class="tile-name" href={`/uploads/${id}`} tabIndex={tabIndex} title={name}>
          {name}
        </a>
        <p class="soft small">{describeFile(upload)}</p>
      </div>
      <div class="tile-state" title={state.label}>
        <Badge tone={state.tone}>{state.label}</Badge>
        <p class="soft small">
          {price !== '' && <>{price} · </>}
          <Time at={upload.createdAt} />
        </p>
      </div>
      <p class="tile-kept soft small">{keptUntil(upload)}</p>
      {result !== undefined && (
        <button
          type="button"
          class="tile-compare"
          tabIndex={tabIndex}
          aria-pressed={isPinned}
          aria-label={`Show ${name} before`}
          title="Before (B)"
          onClick={() => setPinned(!isPinned)}
          onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setPeeking(true)}
          onPointerLeave={() => setPeeking(false)}
        >
          <Icon name="compare" size={18} />
        </button>
      )}
      <input
        type="checkbox"
        class="tile-check"
        tabIndex={tabIndex}
        aria-label={`Select ${name}`}
        checked={isSelected}
        onClick={({ shiftKey }) => onSelect(shiftKey)}
      />
    </li>
  );
}

/** What places a tile in the list, for eyes and for readers of the page. */
interface ItemProps {
  style: Record<string, string>;
  'aria-setsize': number;
  'aria-posinset': number;
  'data-index': number;
}
