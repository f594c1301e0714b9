import { Client as TemporalClient, Connection } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { Client } from 'pg';
import type { Cluster } from '../../cluster/cluster.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { until } from '../../support/until.ts';
import type { Life } from './lives.ts';

const { EventType, WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export interface Verdict {
  lifecycles: number;
  /** Uploads or enhancements that are missing, failed or without their file */
  lost: string[];
  /** Ends that no event, or more than one, reported */
  untold: string[];
  /** Second charges, second orders, and credits that stay reserved */
  charged: string[];
  /** `WorkflowTaskFailed` events of all histories */
  failedTasks: string[];
  workflows: number;
  workflowTasks: number;
  /** Versions of the workers that completed a workflow task */
  versions: string[];
}

interface Row {
  id: string;
  name: string;
  account: string;
  upload_status: string;
  status: string | null;
  error: string | null;
  enhancement: string | null;
  charged: number | null;
  captured: number;
  reserved: number;
}

const ROWS = `
  select u.id, u.original_filename as name, u.account_id as account, u.status as upload_status, e.status,
    coalesce(u.error_code, e.error_code) as error, e.id as enhancement, e.charged_credits as charged,
    (select coalesce(sum(credits), 0)::int from credit_entries c where c.enhancement_id = e.id and kind = 'capture') as captured,
    (select count(*) filter (where kind = 'reserve') - count(*) filter (where kind in ('capture', 'release'))
      from credit_entries c where c.enhancement_id = e.id)::int as reserved
  from uploads u left join enhancements e on e.upload_id = u.id`;
const ENDED = ['FINISHED', 'ERROR', 'CANCELLED'];

/**
 * Waits until each lifecycle has ended, and counts.
 * @param limitMs time without an end after which the open ones count as lost, milliseconds: a busy machine is slow, but loses nothing
 */
export async function judge(
  cluster: Cluster,
  receiver: WebhookReceiver,
  lives: readonly Life[],
  limitMs: number,
): Promise<Verdict> {
  const database = new Client({ connectionString: cluster.databaseUrl });
  await database.connect();
  try {
    const read = async (): Promise<Row[]> => (await database.query<Row>(ROWS)).rows;
    let progress = { ended: -1, at: 0 };
    const isOver = async (): Promise<boolean> => {
      const rows = await read();
      const ended = new Set(rows.filter(({ status }) => ENDED.includes(status ?? '')).map(({ name }) => name));
      const isTold = ({ upload }: Life): boolean => told(receiver, upload.enhancements[0]?.id).size > 0;
      const done = lives.filter((life) => ended.has(life.name) && (!hasWebhook(life) || isTold(life)));
      if (done.length > progress.ended) progress = { ended: done.length, at: performance.now() };
      return done.length === lives.length || performance.now() - progress.at > limitMs;
    };
    await until(isOver, (over) => over, { pauseMs: 500 });
    // The last steps of a lifecycle, such as a release, follow its last state.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const rows = await read();
    const files = await cluster.files();
    const verdict = { lifecycles: lives.length, lost: [] as string[], untold: [] as string[], charged: [] as string[] };
    for (const life of lives) {
      const own = rows.filter(({ name }) => name === life.name);
      weigh(life, own, files, verdict);
      const ids = told(receiver, own[0]?.enhancement ?? undefined);
      if (hasWebhook(life) && ids.size !== 1) verdict.untold.push(`${life.name}: ${ids.size} events for its end`);
    }
    const sums = await database.query<{ used: number; reserved: number }>(
      'select sum(used)::int as used, sum(reserved)::int as reserved from credit_totals',
    );
    const { used, reserved } = sums.rows[0]!;
    const expected = rows.reduce((sum, { charged }) => sum + (charged ?? 0), 0);
    if (used !== expected) verdict.charged.push(`${used} credits are used, ${expected} are charged in the records`);
    if (reserved !== 0) verdict.charged.push(`${reserved} credits are still reserved`);
    return { ...verdict, ...(await readHistories(cluster.temporal.address)) };
  } finally {
    await database.end();
  }
}

const hasWebhook = ({ kind, name }: Life): boolean =>
  kind === 'delivery' || (kind === 'load' && Number(/\d+$/.exec(name)![0]) % 3 === 0);

/** Ids of the delivered events about the end of an enhancement. */
const told = ({ deliveries }: WebhookReceiver, enhancementId: string | undefined): Set<string> =>
  new Set(
    deliveries
      .filter(({ event, status }) => status < 300 && event.data['id'] === enhancementId)
      .filter(({ event }) => event.data['status'] === 'FINISHED')
      .map(({ event }) => event.id),
  );

function weigh(
  { name }: Life,
  rows: readonly Row[],
  files: readonly string[],
  { lost, charged }: Pick<Verdict, 'lost' | 'charged'>,
): void {
  const [row] = rows;
  if (row === undefined) return void lost.push(`${name}: no record`);
  if (rows.length > 1) charged.push(`${name}: ${rows.length} uploads or enhancements`);
  const { id, status, upload_status, error, captured, charged: recorded, reserved, enhancement } = row;
  if (status !== 'FINISHED') lost.push(`${name}: ${upload_status} ${status} ${error}`);
  else if (!files.some((path) => path.includes(enhancement!) || path.includes(id))) lost.push(`${name}: its files`);
  if (captured !== (recorded ?? 0)) charged.push(`${name}: ${captured} captured, ${recorded} in its record`);
  if (reserved !== 0) charged.push(`${name}: ${reserved} reservations are open`);
}

export async function readHistories(
  address: string,
): Promise<Pick<Verdict, 'failedTasks' | 'workflows' | 'workflowTasks' | 'versions'>> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow, workflowService } = new TemporalClient({ connection });
    const failedTasks: string[] = [];
    const versions = new Set<string>();
    let [workflows, workflowTasks] = [0, 0];
    // The client's own list decodes memos, which are encrypted.
    const page = { namespace: 'default', pageSize: 500 };
    let listed = await workflowService.listWorkflowExecutions(page);
    const executions = [...listed.executions];
    while (listed.nextPageToken.length > 0) {
      listed = await workflowService.listWorkflowExecutions({ ...page, nextPageToken: listed.nextPageToken });
      executions.push(...listed.executions);
    }
    for (const { execution } of executions) {
      const workflowId = execution!.workflowId!;
      workflows += 1;
      const { events } = await workflow.getHandle(workflowId, execution!.runId!).fetchHistory();
      for (const event of events ?? []) {
        const completed = event.workflowTaskCompletedEventAttributes;
        if (completed) {
          workflowTasks += 1;
          versions.add(/^burnish\/\S+/.exec(completed.identity ?? '')?.[0] ?? '');
        }
        if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)
          failedTasks.push(describe(workflowId, event));
      }
    }
    return { failedTasks, workflows, workflowTasks, versions: [...versions].sort() };
  } finally {
    await connection.close();
  }
}

function describe(workflowId: string, { eventId, workflowTaskFailedEventAttributes }: HistoryEvent): string {
  const { cause, failure, identity } = workflowTaskFailedEventAttributes ?? {};
  const words = [WorkflowTaskFailedCause[cause ?? 0], failure?.message, failure?.encodedAttributes && '(encoded)'];
  return `${workflowId}, event ${String(eventId)}, by ${identity}: ${words.filter(Boolean).join(' ')}`;
}
