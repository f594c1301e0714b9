import { useResource } from '../api/use-resource.ts';
import type { Credits } from '../api/types.ts';
import { formatUtcDay } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Balance } from './balance.tsx';
import { UsageChart } from './usage-chart.tsx';
import { Ledger } from './ledger.tsx';
import './credits.css';

const DAY_MS = 86_400_000;

/** The remaining credits of this month, and every entry of the ledger. */
export function CreditsPage() {
  const credits = useResource<Credits>('/v1/credits');
  return (
    <>
      <PageHeader
        title="Credits"
        lead="An image costs 1 credit, or 4 when it is enlarged; so does each image of a PDF."
      />
      <Loaded resource={credits}>
        {(data) => (
          <section class="card" aria-labelledby="period">
            <div class="card-head">
              <h2 id="period">This period</h2>
              <span class="soft small">
                {formatUtcDay(data.periodStart)} to {formatUtcDay(lastDay(data.periodEnd))}, UTC
              </span>
            </div>
            <Balance credits={data} />
          </section>
        )}
      </Loaded>
      <UsageChart />
      <Ledger />
    </>
  );
}

/** The bound itself belongs to the next period. */
const lastDay = (end: string): string => new Date(Date.parse(end) - DAY_MS).toISOString();
