import { useEffect } from 'preact/hooks';
import type { TimelineEntry } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { LoadedList } from '../ui/loaded.tsx';
import { Time } from '../ui/time.tsx';

/** Marks in a file's name that would turn the rest of its sentence around (UAX #9). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

export function Timeline({ uploadId, news }: { uploadId: string; news: string }) {
  const list = useListing<TimelineEntry>(`/v1/uploads/${uploadId}/timeline?limit=100`);
  useEffect(() => list.reload(), [news]);
  return (
    <LoadedList list={list} empty={<p class="soft">The timeline has been deleted.</p>} more="Later changes">
      {(items) => (
        <ol class="timeline">
          {items.map((entry, index) => (
            <li key={`${entry.id} ${index}`} class={entry.subject}>
              <Time at={entry.at} exact />
              <span>{entry.sentence.replace(TURNS, '')}</span>
            </li>
          ))}
        </ol>
      )}
    </LoadedList>
  );
}
