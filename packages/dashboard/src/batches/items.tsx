import { useEffect, useState } from 'preact/hooks';
import { counted, hasEnded, MAX_ARCHIVED_FILES } from '@burnish/contract';
import type { Batch, BatchItem } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Segments } from '../enhance/segments.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { credits } from '../uploads/words.ts';
import { ITEM_STATES } from './words.ts';

const PAGE = 50;

/** @param again tries one failed file again; undefined while a command runs, and while the batch accepts none */
const columns = (again: ((key: string) => void) | undefined): Column<BatchItem>[] => [
  {
    title: 'File',
    cell: ({ key, uploadId }) => (
      <span class="item-key">{uploadId === null ? key : <a href={`/uploads/${uploadId}`}>{key}</a>}</span>
    ),
  },
  {
    title: 'State',
    cell: ({ state, explanation }) => (
      <>
        <Badge tone={ITEM_STATES[state].tone}>{ITEM_STATES[state].label}</Badge>
        {explanation !== null && (
          <p class="small item-failure">
            {explanation.detail} <span class="soft">{explanation.remedy}</span>
          </p>
        )}
      </>
    ),
  },
  {
    title: 'Charged',
    align: 'end',
    cell: (item) => <span class="item-charge">{item.credits !== null && credits(item.credits)}</span>,
  },
  {
    title: 'Actions',
    hideTitle: true,
    align: 'end',
    cell: ({ key, state }) =>
      state === 'FAILED' && (
        <Button
          kind="quiet"
          icon="refresh"
          aria-label={`Try ${key} again`}
          disabled={again === undefined}
          onClick={() => again?.(key)}
        >
          Again
        </Button>
      ),
  },
];

/**
 * The files of a batch by the names that they have in their folder, each with its state, or its failure and the remedy.
 * @param onRetry tries the file with a key again; undefined while a command runs, and while the batch accepts none
 */
export function Items({ batch, onRetry }: { batch: Batch; onRetry: ((key: string) => void) | undefined }) {
  const { id, counts } = batch;
  const [state, setState] = useState<BatchItem['state'] | ''>(hasEnded(batch) && counts.failed > 0 ? 'FAILED' : '');
  const list = useListing<BatchItem>(`/v1/batches/${id}/items?limit=${PAGE}${state === '' ? '' : `&state=${state}`}`);
  const { items, reload } = list;
  // A later page stays as it was read: a reload would take it away.
  const isFirstPage = items === undefined || items.length <= PAGE;
  const progress = Object.values(counts).join(' ');
  useEffect(() => {
    if (isFirstPage && items !== undefined) reload();
  }, [progress]);
  const options = [
    { value: '' as const, label: `All ${counts.items}` },
    ...(['FAILED', 'FINISHED', 'RUNNING', 'PENDING', 'CANCELLED'] as const).flatMap((value) => {
      const count = counts[COUNTS[value]];
      return count > 0 || value === state ? [{ value, label: `${ITEM_STATES[value].label} ${count}` }] : [];
    }),
  ];
  return (
    <section class="card" aria-labelledby="items">
      <div class="card-head">
        <h2 id="items">Files</h2>
        <Downloads batch={batch} />
      </div>
      <Segments label="State of the files" options={options} value={state} onChange={setState} />
      <LoadedList list={list} more="More files" empty={<p class="soft">No file is in this state.</p>}>
        {(shown) => (
          <Table
            caption="Files in the order of the folder"
            columns={columns(onRetry)}
            rows={shown}
            rowKey={({ key }) => key}
          />
        )}
      </LoadedList>
    </section>
  );
}

const COUNTS = {
  FAILED: 'failed',
  FINISHED: 'finished',
  RUNNING: 'running',
  PENDING: 'pending',
  CANCELLED: 'cancelled',
} as const;

/** Links to the results with their folders, in parts that an archive can have. */
function Downloads({ batch: { id, counts } }: { batch: Batch }) {
  const parts = Math.ceil(counts.finished / MAX_ARCHIVED_FILES);
  return (
    <span class="actions">
      {Array.from({ length: parts }, (_, index) => {
        const from = index * MAX_ARCHIVED_FILES + 1;
        const to = Math.min(counts.finished, from + MAX_ARCHIVED_FILES - 1);
        return (
          <a key={index} class="button" href={`/v1/batches/${id}/archive.zip?part=${index + 1}`} download>
            <Icon name="download" size={18} />{' '}
            {parts === 1 ? `Download ${counted(to, 'result')}` : `Results ${from} to ${to}`}
          </a>
        );
      })}
    </span>
  );
}
