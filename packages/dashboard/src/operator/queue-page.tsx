import {
  type DeployedBuild,
  type Fleet,
  type PollingWorker,
  stillPolls,
  type EnhancementStatus,
  formatNumber,
  WORKFLOW_VIEWS,
  workflowViewUrl,
} from '@burnish/contract';
import { useResource } from '../api/use-resource.ts';
import { operatorSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

interface Queued {
  accountId: string;
  accountName: string;
  counts: Partial<Record<EnhancementStatus, number>>;
}
interface Queue extends Fleet {
  items: Queued[];
  workers: { main: boolean; engine: boolean };
}

const COLUMNS = [
  ['QUEUED', 'Queued'],
  ['AWAITING_CREDITS', 'Wait for credits'],
  ['AWAITING_APPROVAL', 'Wait for approval'],
  ['PROCESSING', 'Processing'],
] as const;
const STATES = {
  CURRENT: ['Current', 'good'],
  RAMPING: ['Ramping', 'warning'],
  INACTIVE: ['Inactive', 'neutral'],
} as const;
const WORKERS = [
  ['main', 'Workers for workflows'],
  ['engine', 'Engine workers'],
] as const;

export function QueuePage() {
  const queue = useResource<Queue>('/v1/operator/queue');
  const temporalUi = operatorSession.value?.temporalUi;
  return (
    <>
      <PageHeader title="Queue" lead="Waiting and running enhancements, by account.">
        <Button icon="refresh" onClick={queue.reload}>
          Refresh
        </Button>
      </PageHeader>
      <Loaded resource={queue}>
        {(data) => (
          <>
            <section class="card" aria-labelledby="workers">
              <div class="card-head">
                <h2 id="workers">Workers</h2>
              </div>
              {temporalUi && (
                <nav class="view-links" aria-label="Workflows in the Temporal Web UI">
                  Workflows:
                  {WORKFLOW_VIEWS.map((view) => (
                    <a key={view.id} href={workflowViewUrl(temporalUi, view)} target="_blank" rel="noopener">
                      {view.name} <Icon name="external" size={14} />
                    </a>
                  ))}
                </nav>
              )}
              <Facts
                facts={[
                  ...WORKERS.map(
                    ([role, label]) =>
                      [
                        label,
                        data.workers[role] ? <Badge tone="good">Running</Badge> : <Badge tone="bad">None</Badge>,
                      ] as const,
                  ),
                  ...data.uploads.map(
                    ({ version, open }) => [`Open uploads that ran on ${version}`, formatNumber(open)] as const,
                  ),
                  ...(data.uploadsOfEarlierVersions > 0
                    ? [['Open uploads of earlier versions', formatNumber(data.uploadsOfEarlierVersions)] as const]
                    : []),
                ]}
              />
              {data.deployment !== null && (
                <Table<DeployedBuild>
                  caption={`Builds of the deployment ${data.deployment.name}`}
                  rows={data.deployment.builds}
                  rowKey={({ version }) => version}
                  columns={[
                    { title: 'Version', cell: ({ version }) => version },
                    { title: 'State', cell: ({ state }) => <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge> },
                    { title: 'Share of the work', align: 'end', cell: ({ share }) => `${share} %` },
                    { title: 'Open uploads', align: 'end', cell: ({ open }) => formatNumber(open) },
                  ]}
                />
              )}
              {data.processes.length > 0 && (
                <Table<PollingWorker>
                  caption="Workers by task queue"
                  rows={data.processes}
                  rowKey={({ taskQueue, process }) => `${taskQueue} ${process}`}
                  columns={[
                    { title: 'Process', cell: ({ process }) => <code>{process}</code> },
                    { title: 'Task queue', cell: ({ taskQueue }) => taskQueue },
                    {
                      title: 'Version',
                      // In a deployment, several builds beside each other are no fault.
                      cell: (worker) => <Version worker={worker} wanted={data.deployment ? null : data.version} />,
                    },
                    { title: 'Last seen', cell: ({ polledAt }) => <Time at={polledAt} /> },
                  ]}
                />
              )}
            </section>
            <section class="card" aria-label="Queue">
              {data.items.length === 0 ? (
                <p class="soft">No enhancement waits or runs.</p>
              ) : (
                <Table<Queued>
                  caption="Waiting and running enhancements, by account"
                  rows={data.items}
                  rowKey={({ accountId }) => accountId}
                  columns={[
                    { title: 'Account', cell: ({ accountName }) => accountName },
                    ...COLUMNS.map(([status, title]) => ({
                      title,
                      align: 'end' as const,
                      cell: ({ counts }: Queued) => formatNumber(counts[status] ?? 0),
                    })),
                  ]}
                />
              )}
            </section>
          </>
        )}
      </Loaded>
    </>
  );
}

/** @param wanted the only version without a mark; null: no version has one */
function Version({ worker, wanted }: { worker: PollingWorker; wanted: string | null }) {
  const version = worker.version ?? 'unknown';
  if (!stillPolls(worker, Date.now())) {
    return (
      <>
        {version} <Badge>Stopped</Badge>
      </>
    );
  }
  return (
    <>
      {version} {wanted !== null && worker.version !== wanted && <Badge tone="warning">Other version</Badge>}
    </>
  );
}
