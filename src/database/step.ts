import { getTableColumns } from 'drizzle-orm';
import {
  TERMINAL_ENHANCEMENT_STATUSES,
  withoutPath,
  type Enhancement,
  type Upload,
  type WebhookEvent,
} from '@burnish/contract';
import { ATTEMPTS_AT_ONCE, BEGUN_WHILE_FAILING } from '../domain/events/delivery.ts';
import { withoutLabels } from '../domain/upload/labels.ts';
import { CHANGES_CHANNEL, toSnapshot } from './changes.ts';
import type { Orm } from './database.ts';
import { creditEntries, type creditTotals } from './schema/credits.ts';
import { enhancements } from './schema/enhancements.ts';
import { uploads } from './schema/uploads.ts';
import type { SealedReceiver } from './secret-addresses.ts';
import { columnNames, recordColumns, statement, toRow, toRows } from './statement.ts';

export interface PlannedDelivery {
  /** Derived from the event and the endpoint: every repetition has the same id */
  id: string;
  /** Host of the receiver */
  host: string;
  /** Null for the webhook URL given with an upload */
  endpointId: string | null;
}

/** An event with its data for each format. */
export interface FormattedEvent extends WebhookEvent {
  /** For receivers of the format PUBLIC; absent or null: they get `data` */
  publicData?: Record<string, unknown> | null;
}

/** An event of an upload or an enhancement, as a step announces it. */
export interface AnnouncedEvent extends FormattedEvent {
  /** Webhook URL given with the upload; null for none */
  own: SealedReceiver | null;
}

/** The record of an event. Its labels become part of the data. */
export interface EventSubject {
  table: 'uploads' | 'enhancements';
  id: string;
}

/** The facts that make two enhancements equal: the same bytes, resolved parameters and engine give the same result. */
export interface ReuseFacts {
  /** Hex SHA-256 of the original */
  sourceSha256: string;
  /** Digest of the resolved parameters */
  fingerprint: string;
  engineVersion: string;
}

/** The sums of the entries of a period. */
export type CreditTotals = Pick<typeof creditTotals.$inferSelect, 'grants' | 'topUps' | 'used' | 'reserved'>;
export type NewEntry = Omit<typeof creditEntries.$inferInsert, 'seq'>;

/** What a step writes, in one statement. A repetition that does not apply the state writes the other parts all the same. */
export interface Step {
  accountId: string;
  /** The state of an upload, with its webhook URL sealed */
  upload?: Upload;
  /** The state of an enhancement. Existing facts are never removed */
  enhancement?: { state: Enhancement; facts: ReuseFacts | null };
  /** An enhancement whose change the transaction has written already; it goes to the feed */
  changed?: Enhancement;
  /** Description of the change for the timeline; null for a change that no workflow wrote */
  sentence?: string | null;
  /** Ledger entries to append, each once; a repeated grant is left out */
  entries?: readonly NewEntry[];
  event?: AnnouncedEvent | null;
  /** The record of the event, where the step writes none; undefined for an event about the account */
  subject?: EventSubject | undefined;
}

export interface StepOutcome {
  /** Whether the state was applied */
  applied: boolean;
  event: {
    /** To push now; others wait for their turn (`held-deliveries.ts`) */
    deliveries: PlannedDelivery[];
    /** Another repetition has recorded the event meanwhile, and the statement does not see its deliveries */
    missed: boolean;
  };
  /** The totals of the period of the entries, before these; null without entries */
  totals: CreditTotals | null;
}

const LABELS = { reference: true, customMetadata: true, keyId: true };
const without = <Columns extends object>(columns: Columns, names: object): Record<string, never> =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !(name in names))) as never;

const FACTS = { sourceSha256: true, fingerprint: true, engineVersion: true };
/** The columns that a step writes. Labels and the key are written once, with the first record. */
const OF_UPLOAD = without(getTableColumns(uploads), {
  ...LABELS,
  changeSeq: true,
  expectedBytes: true,
  erasedAt: true,
});
const OF_ENHANCEMENT = without(getTableColumns(enhancements), LABELS);
/** Columns that take each new value. */
const UPLOAD = columnNames(without(OF_UPLOAD, { revision: true }));
const ENHANCEMENT = columnNames(without(OF_ENHANCEMENT, { ...FACTS, revision: true }));
/** The columns of an entry of the ledger, which numbers it. */
export const CREDIT_ENTRY = recordColumns(creditEntries);
const ENTRY = columnNames(CREDIT_ENTRY);
const excluded = (names: string): string => names.replaceAll('"', '').replace(/\w+/g, 'excluded."$&"');

/** The stages of an upload, in order. An upload never returns to an earlier one. */
const stage = (status: string): string =>
  `case ${status} when 'UPLOAD_PENDING' then 0 when 'UPLOAD_PROCESSING' then 1 when 'UPLOAD_DELETED' then 3 else 2 end`;
const ENDED = `('${TERMINAL_ENHANCEMENT_STATUSES.join("', '")}')`;

const STEP = statement<StepOutcome>(
  'step',
  `
  with upload as (
    insert into uploads (${UPLOAD}, revision)
    select ${UPLOAD}, revision from jsonb_populate_record(null::uploads, :upload::jsonb) where id is not null
    on conflict (id) do update set (${UPLOAD}) = row(${excluded(UPLOAD)}),
      revision = greatest(excluded.revision, uploads.revision + 1), change_seq = uploads.change_seq + 1
    -- An id never belongs to two accounts; this condition enforces the separation anyway.
    where uploads.status <> 'UPLOAD_DELETED' and uploads.account_id = excluded.account_id
      and (${stage('excluded.status')} > ${stage('uploads.status')}
        or (${stage('excluded.status')} = ${stage('uploads.status')} and uploads.revision < excluded.revision))
    returning id, change_seq, revision, reference, custom_metadata
  ), enhancement as (
    insert into enhancements (${ENHANCEMENT}, revision, source_sha256, fingerprint, engine_version, reference, custom_metadata, key_id)
    select ${ENHANCEMENT}, revision, source_sha256, fingerprint, engine_version,
      (select reference from enhancement_labels where enhancement_id = state.id),
      (select custom_metadata from enhancement_labels where enhancement_id = state.id),
      (select key_id from enhancement_labels where enhancement_id = state.id)
    from jsonb_populate_record(null::enhancements, :enhancement::jsonb) as state where id is not null
    on conflict (id) do update set (${ENHANCEMENT}) = row(${excluded(ENHANCEMENT)}),
      revision = greatest(excluded.revision, enhancements.revision + 1),
      source_sha256 = coalesce(excluded.source_sha256, enhancements.source_sha256),
      fingerprint = coalesce(excluded.fingerprint, enhancements.fingerprint),
      engine_version = coalesce(excluded.engine_version, enhancements.engine_version)
    where enhancements.status not in ${ENDED}
      and (enhancements.revision < excluded.revision or excluded.status in ${ENDED})
      and enhancements.account_id = excluded.account_id and enhancements.upload_id = excluded.upload_id
    returning upload_id, revision, reference, custom_metadata
  ),

  -- The change feed. The row of the upload numbers its changes.
  counted as (
    update uploads set change_seq = change_seq + 1
    from (
      select upload_id, revision from enhancement
      union all select :changedUpload::text, :changedRevision::integer where :changedUpload::text is not null
    ) as change
    where uploads.id = change.upload_id
    returning uploads.id as upload_id, uploads.change_seq, change.revision
  ), applied as (
    select 'upload' as subject, id as upload_id, change_seq, revision from upload
    union all select 'enhancement', upload_id, change_seq, revision from counted
  ), appended as (
    insert into changes (upload_id, seq, account_id, subject, subject_id, revision, snapshot, sentence)
    select upload_id, change_seq, :accountId::text, subject, :id::text, revision,
      :snapshot::jsonb || jsonb_build_object('revision', revision), :sentence::text
    from applied
    returning upload_id
  ),

  -- The ledger. Triggers add entries to the totals of their period, and refuse an entry that would overspend it, or that
  -- follows the end of its enhancement.
  entered as (
    insert into credit_entries (${ENTRY})
    select ${ENTRY} from jsonb_populate_recordset(null::credit_entries, :entries::jsonb)
    on conflict (account_id, kind, reference) do nothing
  ),

  -- The event, once, with a delivery for each enabled endpoint that subscribes to it, and for the upload's own URL. A
  -- repetition finds the original deliveries, even if receivers have changed since.
  recorded as (
    select id, host, endpoint_id, held from deliveries
    where event_id = :eventId::text and account_id = :accountId::text and redelivery_of is null
  ), receivers as (
    select id as endpoint_id, url, host, coalesce(id, host) as receiver from webhook_endpoints
    where :eventId::text is not null and account_id = :accountId::text and disabled_at is null
      and (events @> jsonb_build_array(:eventKind::text) or events @> '["*"]'::jsonb)
    union all
    select null, :ownUrl::text, :ownHost::text, :ownHost::text
    where :eventId::text is not null and :ownUrl::text is not null
  ), labels as (
    select reference, custom_metadata from upload
    union all select reference, custom_metadata from enhancement
    union all select reference, custom_metadata from uploads where id = :uploadId::text and account_id = :accountId::text
    union all
    select reference, custom_metadata from enhancements where id = :enhancementId::text and account_id = :accountId::text
    limit 1
  ), event as (
    insert into webhook_events (id, account_id, event, data, public_data, created, delivered)
    select :eventId::text, :accountId::text, :eventKind::text,
      :eventData::jsonb || coalesce((
        select jsonb_strip_nulls(jsonb_build_object('reference', reference))
          || case when custom_metadata is null then '{}' else jsonb_build_object('customMetadata', custom_metadata) end
        from labels
      ), '{}'),
      :eventPublicData::jsonb, :eventCreated::timestamptz, exists (select from receivers)
    where :eventId::text is not null and not exists (select from recorded)
    on conflict do nothing
    returning id
  ), planned as (
    insert into deliveries (id, account_id, endpoint_id, url, host, event_id, created_at, next_attempt_at, held)
    select
      'dlv_' || left(encode(sha256(convert_to(event.id || chr(10) || coalesce(endpoint_id, ''), 'UTF8')), 'hex'), 26),
      :accountId::text, endpoint_id, url, host, event.id, :recordedAt::timestamptz, :recordedAt::timestamptz,
      -- It waits behind those that wait, and while its receiver or its account has as many as may begin (held-deliveries.ts).
      case when exists (
        select from deliveries
        where status = 'PENDING' and held = 'waiting' and account_id = :accountId::text
          and coalesce(endpoint_id, host) = receiver
      ) or (
        select count(*) from (
          select from deliveries
          where status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released'
            and account_id = :accountId::text and coalesce(endpoint_id, host) = receiver
          limit ${ATTEMPTS_AT_ONCE.ofReceiver}
        ) as begun
      ) >= case when exists (
        select from webhook_endpoints where id = receiver and failing_since is not null
      ) then ${BEGUN_WHILE_FAILING} else ${ATTEMPTS_AT_ONCE.ofReceiver} end or (
        select count(*) from (
          select from deliveries
          where status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released'
            and account_id = :accountId::text
          limit ${ATTEMPTS_AT_ONCE.ofAccount}
        ) as begun
      ) >= ${ATTEMPTS_AT_ONCE.ofAccount} then 'waiting' end
    from receivers, event
    returning id, host, endpoint_id, held
  ), announced as (select * from recorded union all select * from planned)

  select
    -- Readers of the feed are notified.
    (select count(pg_notify('${CHANGES_CHANNEL}', upload_id)) from appended) > 0 as applied,
    jsonb_build_object(
      'deliveries', (
        select coalesce(jsonb_agg(jsonb_build_object('id', id, 'host', host, 'endpointId', endpoint_id) order by id collate "C"), '[]')
        from announced where held is null
      ),
      'missed', exists (select from receivers) and not exists (select from announced)
        and not exists (select from webhook_events where id = :eventId::text)
    ) as event,
    -- The lock makes them the latest ones. Every step takes it before the rows that triggers change.
    (
      select jsonb_build_object('grants', grants, 'topUps', top_ups, 'used', used, 'reserved', reserved)
      from (
        select * from credit_totals where account_id = :accountId::text and period = :period::text for no key update
      ) as locked
    ) as totals`,
);

/** Writes a step of a lifecycle: records, change feed, ledger and event in one statement. It may be repeated. */
export async function writeStep(orm: Orm, step: Step, nowMs: number): Promise<StepOutcome> {
  const { accountId, upload, enhancement, changed, subject, sentence = null, entries = [], event } = step;
  const state =
    enhancement && withoutLabels({ ...enhancement.state, destination: withoutPath(enhancement.state.destination) });
  const record = upload ?? state ?? (changed && withoutLabels(changed));
  const [outcome] = await STEP(orm, {
    accountId,
    id: record?.id ?? null,
    upload: upload === undefined ? null : toRow(OF_UPLOAD, upload),
    enhancement: state === undefined ? null : toRow(OF_ENHANCEMENT, { ...state, ...enhancement?.facts }),
    changedUpload: changed?.uploadId ?? null,
    changedRevision: changed?.revision ?? null,
    snapshot: record === undefined ? null : JSON.stringify(toSnapshot(record)),
    sentence,
    entries: toRows(CREDIT_ENTRY, entries),
    period: entries[0]?.period ?? null,
    eventId: event?.id ?? null,
    eventKind: event?.event ?? null,
    eventData: event ? JSON.stringify(event.data) : null,
    eventPublicData: event?.publicData ? JSON.stringify(event.publicData) : null,
    eventCreated: event?.created ?? null,
    ownUrl: event?.own?.url ?? null,
    ownHost: event?.own?.host ?? null,
    recordedAt: new Date(nowMs).toISOString(),
    uploadId: upload?.id ?? (subject?.table === 'uploads' ? subject.id : null),
    enhancementId: (state ?? changed)?.id ?? (subject?.table === 'enhancements' ? subject.id : null),
  });
  return outcome!;
}
