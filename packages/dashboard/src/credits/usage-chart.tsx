import { useState } from 'preact/hooks';
import { formatNumber } from '@burnish/contract';
import type { UsageDay } from '../api/types.ts';
import { Segments } from '../enhance/segments.tsx';
import { useResource } from '../api/use-resource.ts';
import { formatUtcDay } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Table } from '../ui/table.tsx';

const DAY_MS = 86_400_000;
/** Days of the report without a choice, with today. */
const DAYS = 31;

const FIGURES = [
  { value: 'finished', label: 'Enhancements' },
  { value: 'credits', label: 'Credits' },
  { value: 'failed', label: 'Failures' },
] as const;
type Figure = (typeof FIGURES)[number]['value'];

/** What the account used in the last 31 days: a bar a day, and the same as a table. */
export function UsageChart() {
  const usage = useResource<{ items: UsageDay[] }>('/v1/usage');
  const [figure, setFigure] = useState<Figure>('finished');
  return (
    <section class="card usage" aria-labelledby="usage">
      <div class="card-head">
        <h2 id="usage">Last {DAYS} days</h2>
        <span class="soft small">by the day of their end, UTC</span>
      </div>
      <Loaded resource={usage}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">No enhancement has ended in these days.</p>
          ) : (
            <>
              <Segments label="Show" options={FIGURES} value={figure} onChange={setFigure} />
              <Bars days={items} figure={figure} />
              <details>
                <summary>Figures of each day</summary>
                <Table<UsageDay>
                  caption="Usage by day, newest first"
                  rows={items.toReversed()}
                  rowKey={({ day }) => day}
                  columns={[
                    { title: 'Day', cell: ({ day }) => formatUtcDay(day) },
                    { title: 'Finished', align: 'end', cell: ({ finished }) => formatNumber(finished) },
                    { title: 'Failed', align: 'end', cell: ({ failed }) => formatNumber(failed) },
                    { title: 'Cancelled', align: 'end', cell: ({ cancelled }) => formatNumber(cancelled) },
                    { title: 'Credits', align: 'end', cell: ({ credits }) => formatNumber(credits) },
                  ]}
                />
              </details>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** One bar for each day, also for a day without an enhancement. Readers of the page have the table. */
function Bars({ days, figure }: { days: readonly UsageDay[]; figure: Figure }) {
  const values = new Map(days.map((each) => [each.day, each[figure]]));
  const shown = Array.from({ length: DAYS }, (_, index) => dayBefore(DAYS - 1 - index));
  const most = Math.max(1, ...values.values());
  const total = shown.reduce((sum, day) => sum + (values.get(day) ?? 0), 0);
  return (
    <figure class="usage-chart">
      <div class="usage-bars" aria-hidden="true">
        {shown.map((day) => {
          const value = values.get(day) ?? 0;
          return (
            <span key={day} class={figure} title={`${formatUtcDay(day)}: ${formatNumber(value)}`}>
              <i style={{ height: `${(100 * value) / most}%` }} />
            </span>
          );
        })}
      </div>
      <figcaption class="soft small">
        {formatUtcDay(shown[0]!)} to {formatUtcDay(shown.at(-1)!)}: {formatNumber(total)} in all, at most{' '}
        {formatNumber(Math.max(...values.values()))} a day
      </figcaption>
    </figure>
  );
}

const dayBefore = (count: number): string => new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
