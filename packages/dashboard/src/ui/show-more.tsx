import type { LongList } from '../api/use-listing.ts';
import { Button } from './button.tsx';

/** Loads the next page of a list, while there is one. */
export function ShowMore({
  list: { hasMore, isLoading, more },
  words = 'Show more',
}: {
  list: Pick<LongList<unknown>, 'hasMore' | 'isLoading' | 'more'>;
  words?: string;
}) {
  return (
    hasMore && (
      <p class="more">
        <Button busy={isLoading} onClick={more}>
          {words}
        </Button>
      </p>
    )
  );
}
