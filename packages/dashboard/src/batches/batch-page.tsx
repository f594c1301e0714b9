import { useRoute } from 'preact-iso';
import { useState, useEffect } from 'preact/hooks';
import { hasEnded, counted } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { Batch } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Copy } from '../ui/copy.tsx';
import { curl } from '../ui/curl.ts';
import { Facts } from '../ui/facts.tsx';
import { formatDuration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import { Trouble } from '../ui/notice.tsx';
import { NotLoaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Progress } from '../ui/progress.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { credits, summarizeParameters } from '../uploads/words.ts';
import { Approval } from './approval.tsx';
import { Collecting } from './collecting.tsx';
import { ContactSheet } from './contact-sheet.tsx';
import { Items } from './items.tsx';
import { RaiseBudget } from './raise-budget.tsx';
import { batchName, batchState } from './words.ts';
import './batches.css';
import { useResource, type Resource } from '../api/use-resource.ts';

type Verb = 'approve' | 'pause' | 'resume' | 'cancel' | 'retry';

interface CommandBody {
  /** Of `resume`: a higher budget, in credits */
  maxCredits?: number;
  /** Of `retry`: absent for all failed files */
  keys?: string[];
}

/** One batch. While it waits for its approval, the decision comes first with the samples; otherwise its progress does. */
export function BatchPage() {
  const resource = useBatch(useRoute().params['id'] ?? '');
  const { data: batch, error, set } = resource;
  const [cancelling, setCancelling] = useState(false);
  const lead = async (verb: Verb, body: CommandBody = {}): Promise<void> => {
    const answer = await post<Batch>(`/v1/batches/${batch!.id}/${verb}`, { body, idempotencyKey: once() });
    set(() => answer);
  };
  const action = useAction(lead);
  if (batch === undefined) {
    return (
      <>
        <PageHeader title="Batch" />
        <NotLoaded resource={resource} />
      </>
    );
  }
  const state = batchState(batch);
  const canRetry = !action.busy && ['FINISHED', 'RUNNING', 'PAUSED'].includes(batch.status);
  const items = <Items batch={batch} onRetry={canRetry ? (key) => action.run('retry', { keys: [key] }) : undefined} />;
  return (
    <>
      <PageHeader title={batchName(batch)} lead={<Badge tone={state.tone}>{state.label}</Badge>}>
        <Copy what="id" value={batch.id} />
        <Copy what="curl" value={curl('GET', `/v1/batches/${batch.id}`)} />
        <a class="button" href={`/v1/batches/${batch.id}/manifest?format=csv`} download={`${batch.id}.csv`}>
          <Icon name="download" size={18} /> Manifest
        </a>
        {!hasEnded(batch) && batch.status !== 'CANCELLING' && (
          <Button onClick={() => setCancelling(true)}>Cancel batch</Button>
        )}
      </PageHeader>
      <Trouble error={action.error ?? error} />
      {batch.status === 'APPROVAL_NEEDED' && batch.prediction !== null ? (
        <>
          <Approval
            batch={batch}
            prediction={batch.prediction}
            busy={action.busy}
            onApprove={() => action.run('approve')}
          />
          <ContactSheet batch={batch} isLarge />
          <Counts batch={batch} />
          {items}
        </>
      ) : (
        <>
          {batch.closedAt === null && !hasEnded(batch) && <Collecting batch={batch} onChange={resource.reload} />}
          <Counts batch={batch} />
          <Controls batch={batch} busy={action.busy} onDecide={action.run} />
          {batch.samples > 0 && batch.closedAt !== null && <ContactSheet batch={batch} />}
          {batch.counts.items > 0 && items}
        </>
      )}
      {cancelling && (
        <Confirm
          title="Cancel this batch?"
          action="Cancel batch"
          work={() => lead('cancel')}
          onClose={() => setCancelling(false)}
        >
          Files without a result are cancelled at no charge. Results of finished files remain.
        </Confirm>
      )}
    </>
  );
}

function Counts({ batch }: { batch: Batch }) {
  const { counts, chargedCredits, maxCredits, enhancements, remainingSeconds, createdAt, finishedAt } = batch;
  const { items, pending, running, finished, failed, cancelled } = counts;
  const parameters = enhancements[0]!;
  const ended = finished + failed + cancelled;
  return (
    <section class="card batch-progress" aria-label="Progress">
      {!hasEnded(batch) && (
        <Progress label={`${ended} of ${counted(items, 'file')} have ended`} value={items === 0 ? 0 : ended / items} />
      )}
      <Facts
        facts={[
          ['Files', items],
          ['Finished', finished],
          ['Failed', failed],
          ...(cancelled > 0 ? ([['Cancelled', cancelled]] as const) : []),
          ...(hasEnded(batch)
            ? []
            : ([
                ['Running', running],
                ['Pending', pending],
              ] as const)),
          [
            'Charged',
            maxCredits === null ? credits(chargedCredits) : `${chargedCredits} of at most ${credits(maxCredits)}`,
          ],
          ...(remainingSeconds === null ? [] : [['Left', `about ${formatDuration(1000 * remainingSeconds)}`] as const]),
          ['Settings', summarizeParameters(parameters, 'targetResolution' in parameters ? 'pdf' : 'image')],
          ['Created', <Time at={createdAt} exact />],
          ...(finishedAt === null ? [] : ([['Ended', <Time at={finishedAt} exact />]] as const)),
        ]}
      />
    </section>
  );
}

/** What a person can do for a batch that needs no approval now. */
function Controls({
  batch,
  busy,
  onDecide,
}: {
  batch: Batch;
  busy: boolean;
  onDecide: (verb: Verb, body?: CommandBody) => void;
}) {
  const { status, counts, pauseReason } = batch;
  if (status === 'RUNNING') {
    return (
      <p class="actions section">
        <Button busy={busy} onClick={() => onDecide('pause')}>
          Pause
        </Button>
      </p>
    );
  }
  if (status === 'PAUSED') {
    return (
      <>
        <ExplanationNotice record={batch} isWaiting needsCredits={pauseReason === 'credits'} />
        {pauseReason === 'budget' ? (
          <RaiseBudget batch={batch} busy={busy} onResume={(maxCredits) => onDecide('resume', { maxCredits })} />
        ) : (
          <p class="actions section">
            <Button kind="primary" busy={busy} onClick={() => onDecide('resume')}>
              Resume
            </Button>
          </p>
        )}
      </>
    );
  }
  return status === 'FINISHED' && counts.failed > 0 ? (
    <>
      <ExplanationNotice record={batch} />
      <p class="actions section">
        <Button icon="refresh" busy={busy} onClick={() => onDecide('retry')}>
          Try {counted(counts.failed, 'failed file')} again
        </Button>
      </p>
    </>
  ) : null;
}

const POLL_MS = 3000;

/** A batch, read again while it can change by itself. */
function useBatch(id: string): Resource<Batch> {
  const resource = useResource<Batch>(`/v1/batches/${id}`);
  const { data, error, reload } = resource;
  useEffect(() => {
    if (data === undefined || hasEnded(data)) return;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [data, error]);
  return resource;
}
