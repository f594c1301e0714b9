import { Fragment } from 'preact';
import { formatNumber, type LedgerEntryKind, type LedgerLineKind } from '@burnish/contract';
import type { LedgerLine } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { LoadedList } from '../ui/loaded.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { credits } from '../uploads/words.ts';

const WORDS: Record<Exclude<LedgerLineKind, 'enhancement'>, string> = { grant: 'Monthly credits', top_up: 'Top-up' };

const ENTRY_WORDS: Record<LedgerEntryKind, string> = {
  grant: 'granted',
  top_up: 'added',
  reserve: 'reserved',
  capture: 'charged',
  release: 'released',
};

/** Each grant, top-up and enhancement, newest first. */
export function Ledger() {
  const list = useListing<LedgerLine>('/v1/credits/entries?limit=20');
  return (
    <section class="card" aria-labelledby="ledger">
      <div class="card-head">
        <h2 id="ledger">Ledger</h2>
      </div>
      <LoadedList list={list} empty={<p class="soft">The ledger has no entries yet.</p>}>
        {(items) => (
          <Table<LedgerLine>
            caption="Lines of the ledger, newest first"
            rows={items}
            rowKey={({ seq }) => seq}
            columns={[
              { title: 'Line', cell: (line) => <Line line={line} /> },
              { title: 'Period', cell: ({ period }) => period },
              // The latest entry says what the line says: an enhancement is charged at its end.
              { title: 'When', cell: ({ at, entries }) => <Time at={entries.at(-1)?.at ?? at} exact /> },
              { title: 'Change', align: 'end', cell: ({ change }) => signed(change) },
              { title: 'Balance', align: 'end', cell: ({ remaining }) => formatNumber(remaining) },
            ]}
          />
        )}
      </LoadedList>
    </section>
  );
}

/** An enhancement opens to its entries. */
function Line({ line }: { line: LedgerLine }) {
  const { kind, enhancementId, uploadId, originalFilename, reference, entries } = line;
  if (kind !== 'enhancement') {
    // The reference of a grant only repeats its period.
    return (
      <>
        {WORDS[kind]} {kind === 'top_up' && <code class="soft">{reference}</code>}
      </>
    );
  }
  return (
    <details class="ledger-line">
      <summary>{summarize(line)}</summary>
      <p>
        {uploadId !== null && <a href={`/uploads/${uploadId}`}>{originalFilename}</a>}{' '}
        <code class="soft">{enhancementId}</code>
      </p>
      <dl class="ledger-entries">
        {entries.map(({ seq, kind: entry, credits: count, change, at }) => (
          <Fragment key={seq}>
            <dt>
              <Time at={at} exact />: {credits(count)} {ENTRY_WORDS[entry]}
            </dt>
            <dd>{signed(change)}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

function summarize({ entries, unchanged, basedOn, originalFilename }: LedgerLine): string {
  const reason = unchanged ? ': nothing to change' : basedOn === null ? '' : `: pages of ${basedOn} are paid`;
  const file = originalFilename ?? 'Enhancement';
  const [reserved, charged] = (['reserve', 'capture'] as const).map((kind) =>
    entries.find((each) => each.kind === kind),
  );
  if (charged !== undefined) return `${file}, ${credits(charged.credits)} charged${reason}`;
  return reserved !== undefined && entries.length === 1
    ? `${file}, ${credits(reserved.credits)} reserved`
    : `${file}, not charged`;
}

const signed = (change: number): string =>
  change === 0 ? '0' : `${change > 0 ? '+' : '−'}${formatNumber(Math.abs(change))}`;
