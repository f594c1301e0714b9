import { formatNumber } from '../../domain/counted.ts';
import type { LedgerEntry } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import type { LedgerEntryKind } from '../../domain/accounts/credits.ts';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

const WORDS: Record<LedgerEntryKind, string> = {
  grant: 'Monthly credits',
  top_up: 'Top-up',
  reserve: 'Reserved for an enhancement',
  capture: 'Enhancement paid',
  release: 'Reservation released',
};

/** The effect of an entry on the remaining credits. */
const SIGNS: Record<LedgerEntryKind, '+' | '−' | ''> = {
  grant: '+',
  top_up: '+',
  reserve: '−',
  capture: '',
  release: '+',
};

/** Every entry, newest first. They are only ever added. */
export function Ledger() {
  const list = useListing<LedgerEntry>('/v1/credits/entries?limit=20');
  const { items, error, reload } = list;
  return (
    <section class="card" aria-labelledby="ledger">
      <div class="card-head">
        <h2 id="ledger">Ledger</h2>
      </div>
      <Trouble error={error} retry={reload} />
      {items === undefined ? (
        error === undefined && <Loading />
      ) : items.length === 0 ? (
        <p class="soft">Nothing has been entered yet.</p>
      ) : (
        <Table<LedgerEntry>
          caption="Entries of the ledger, newest first"
          rows={items}
          rowKey={({ seq }) => seq}
          columns={[
            { title: 'Entry', cell: ({ kind }) => WORDS[kind] },
            {
              title: 'For',
              // The reference of a grant only repeats its period.
              cell: ({ kind, reference, enhancementId }) => (
                <code class="soft">{enhancementId ?? (kind === 'top_up' ? reference : null) ?? '–'}</code>
              ),
            },
            { title: 'Period', cell: ({ period }) => period },
            { title: 'When', cell: ({ at }) => <Time at={at} exact /> },
            {
              title: 'Credits',
              align: 'end',
              cell: ({ kind, credits }) => `${credits === 0 ? '' : SIGNS[kind]}${formatNumber(credits)}`,
            },
          ]}
        />
      )}
      <ShowMore list={list} />
    </section>
  );
}
