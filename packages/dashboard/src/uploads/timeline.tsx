import { useEffect } from 'preact/hooks';
import type { TimelineEntry } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { Time } from '../ui/time.tsx';

/** Marks in a file's name that would turn the rest of its sentence around (UAX #9). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

export function Timeline({ uploadId, news }: { uploadId: string; news: string }) {
  const list = useListing<TimelineEntry>(`/v1/uploads/${uploadId}/timeline?limit=100`);
  const { items, error, reload } = list;
  useEffect(() => reload(), [news]);
  if (items === undefined) return error === undefined ? <Loading /> : <Trouble error={error} retry={reload} />;
  if (items.length === 0) return <p class="soft">The timeline has been deleted.</p>;
  return (
    <>
      <ol class="timeline">
        {items.map((entry, index) => (
          <li key={`${entry.id} ${index}`} class={entry.subject}>
            <Time at={entry.at} exact />
            <span>{entry.sentence.replace(TURNS, '')}</span>
          </li>
        ))}
      </ol>
      <ShowMore list={list} words="Later changes" />
    </>
  );
}
