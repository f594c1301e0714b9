import { counted } from '@burnish/contract';
import type { Batch } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { credits } from '../uploads/words.ts';
import { batchName, batchState } from './words.ts';

const COLUMNS: Column<Batch>[] = [
  { title: 'Batch', cell: (batch) => <a href={`/batches/${batch.id}`}>{batchName(batch)}</a> },
  { title: 'State', cell: (batch) => <Badge tone={batchState(batch).tone}>{batchState(batch).label}</Badge> },
  { title: 'Files', align: 'end', cell: ({ counts }) => `${counts.finished} of ${counted(counts.items, 'file')}` },
  { title: 'Failed', align: 'end', cell: ({ counts }) => counts.failed },
  { title: 'Charged', align: 'end', cell: ({ chargedCredits }) => credits(chargedCredits) },
  { title: 'Created', align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** All batches, newest first. Programs and the command line create them. */
export function BatchesPage() {
  const list = useListing<Batch>('/v1/batches?limit=20');
  return (
    <>
      <PageHeader title="Batches" lead="Many files with the same settings, under one approval." />
      <LoadedList
        list={list}
        more="More batches"
        empty={
          <Empty icon="layers" title="No batches yet">
            <code>burnish batch create</code> or <code>POST /v1/batches</code> creates one. Its samples appear here.
          </Empty>
        }
      >
        {(items) => <Table caption="Batches, newest first" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />}
      </LoadedList>
    </>
  );
}
