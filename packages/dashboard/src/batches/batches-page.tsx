import { counted } from '@burnish/contract';
import type { Batch } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Loading } from '../ui/progress.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { credits } from '../uploads/words.ts';
import { FolderChoice } from './folder-choice.tsx';
import { folder, openFolder } from './folder.ts';
import { NewBatch } from './new-batch.tsx';
import { batchName, batchState } from './words.ts';
import '../enhance/enhance.css';
import './batches.css';

const COLUMNS: Column<Batch>[] = [
  { title: 'Batch', cell: (batch) => <a href={`/batches/${batch.id}`}>{batchName(batch)}</a> },
  { title: 'State', cell: (batch) => <Badge tone={batchState(batch).tone}>{batchState(batch).label}</Badge> },
  { title: 'Files', align: 'end', cell: ({ counts }) => `${counts.finished} of ${counted(counts.items, 'file')}` },
  { title: 'Failed', align: 'end', cell: ({ counts }) => counts.failed },
  { title: 'Charged', align: 'end', cell: ({ chargedCredits }) => credits(chargedCredits) },
  { title: 'Created', align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** All batches, newest first, and the way to a new one from a folder. Programs and the command line create batches too. */
export function BatchesPage() {
  const list = useListing<Batch>('/v1/batches?limit=20');
  const chosen = folder.value;
  return (
    <>
      <PageHeader title="Batches" lead="Many files with the same settings, under one approval." />
      {chosen === undefined && <FolderChoice title="Drop a folder here" onFiles={(found) => void openFolder(found)} />}
      {chosen === 'reading' && <Loading label="Reading the folder …" />}
      {typeof chosen === 'object' && <NewBatch key={chosen.name} chosen={chosen} />}
      <LoadedList
        list={list}
        more="More batches"
        empty={
          <Empty icon="layers" title="No batches yet">
            Choose a folder, or create a batch with <code>burnish batch create</code>. Its samples appear here.
          </Empty>
        }
      >
        {(items) => <Table caption="Batches, newest first" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />}
      </LoadedList>
    </>
  );
}
