import { useState } from 'preact/hooks';
import { formatNumber } from '@burnish/contract';
import type { UsageDay } from '../api/types.ts';
import { Segments } from '../enhance/segments.tsx';
import { useResource } from '../api/use-resource.ts';
import { formatUtcDay } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Table } from '../ui/table.tsx';
import { FIGURES, nameOfKey, seriesOfKeys, type Figure, type KeySeries } from './usage-series.ts';

const DAY_MS = 86_400_000;
/** Days of the report without a choice, with today. */
const DAYS = 31;

/** What the account used in the last 31 days: a bar a day in the colours of its keys, and the same as tables. */
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
            <Usage days={items} figure={figure} onFigure={setFigure} />
          )
        }
      </Loaded>
    </section>
  );
}

function Usage({
  days,
  figure,
  onFigure,
}: {
  days: readonly UsageDay[];
  figure: Figure;
  onFigure: (figure: Figure) => void;
}) {
  const series = seriesOfKeys(days);
  return (
    <>
      <Segments label="Show" options={FIGURES} value={figure} onChange={onFigure} />
      <Bars days={days} series={series} figure={figure} />
      <Table<KeySeries>
        caption="Usage by API key, most enhancements first"
        rows={series}
        rowKey={({ keyId }) => keyId ?? ''}
        columns={[
          {
            title: 'Key',
            cell: (each) => (
              <>
                <span class={`swatch key-${each.colour}`} aria-hidden="true" /> {nameOfKey(each)}
                {each.keyName === null && each.keyId !== null && <code class="soft"> {each.keyId}</code>}
              </>
            ),
          },
          { title: 'Enhancements', align: 'end', cell: ({ finished }) => formatNumber(finished) },
          { title: 'Failures', align: 'end', cell: ({ failed }) => formatNumber(failed) },
          { title: 'Credits', align: 'end', cell: ({ credits }) => formatNumber(credits) },
        ]}
      />
      <details>
        <summary>Figures of each day</summary>
        <Table<UsageDay>
          caption="Usage by day, newest first"
          rows={days.toReversed()}
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
  );
}

/** One bar for each day, also for a day without an enhancement. Readers of the page have the tables. */
function Bars({ days, series, figure }: { days: readonly UsageDay[]; series: readonly KeySeries[]; figure: Figure }) {
  const values = new Map(days.map((each) => [each.day, each[figure]]));
  const shown = Array.from({ length: DAYS }, (_, index) => dayBefore(DAYS - 1 - index));
  const most = Math.max(0, ...values.values());
  const total = shown.reduce((sum, day) => sum + (values.get(day) ?? 0), 0);
  return (
    <figure class="usage-chart">
      <div class="usage-bars" aria-hidden="true">
        {shown.map((day) => {
          const value = values.get(day) ?? 0;
          const parts = series.flatMap((each) => {
            const part = each.days.get(day)?.[figure] ?? 0;
            return part === 0 ? [] : [{ ...each, part, words: `${nameOfKey(each)}: ${formatNumber(part)}` }];
          });
          const lines = [`${formatUtcDay(day)}: ${formatNumber(value)}`, ...parts.map(({ words }) => words)];
          return (
            <span key={day} title={lines.join('\n')}>
              {parts.map(({ keyId, colour, part }) => (
                <i key={keyId ?? ''} class={`key-${colour}`} style={{ height: `${(100 * part) / most}%` }} />
              ))}
            </span>
          );
        })}
      </div>
      <figcaption class="soft small">
        {formatUtcDay(shown[0]!)} to {formatUtcDay(shown.at(-1)!)}: {formatNumber(total)} in all, at most{' '}
        {formatNumber(most)} a day
      </figcaption>
    </figure>
  );
}

const dayBefore = (count: number): string => new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
