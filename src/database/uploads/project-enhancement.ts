import { getTableColumns, sql, type Column, type SQL } from 'drizzle-orm';
import { TERMINAL_ENHANCEMENT_STATUSES, type Enhancement, withoutPath } from '@burnish/contract';
import { withoutLabels } from '../../domain/upload/labels.ts';
import { appendChange, CHANGE_NOTED, changeValues } from '../changes.ts';
import {
  APPEND_ENTRIES,
  entryValues,
  LOCKED_TOTALS,
  type CreditTotals,
  type NewEntry,
} from '../credits/credit-movements.ts';
import type { Orm } from '../database.ts';
import { excluded, onceBuilt, placeholders, prepareSql, recordValues, risen } from '../queries.ts';
import { enhancementLabels, enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import {
  eventValues,
  RECORDED_EVENT,
  recordEventParts,
  type AnnouncedEvent,
  type Projected,
} from '../webhooks/event-statement.ts';

/** The facts that make two enhancements equal: the same bytes, resolved parameters and engine give the same result. */
export interface ReuseFacts {
  /** Hex SHA-256 of the original */
  sourceSha256: string;
  /** Digest of the resolved parameters */
  fingerprint: string;
  engineVersion: string;
}

export const ENDED = sql.raw(`('${TERMINAL_ENHANCEMENT_STATUSES.join("', '")}')`);

export const FACTS = ['sourceSha256', 'fingerprint', 'engineVersion'] as const;

/** The columns that a projection writes. Labels are written once, with the first record. */
const PROJECTED = withoutLabels(getTableColumns(enhancements));

const projection = onceBuilt((orm) => {
  const label = (column: Column): SQL =>
    sql`(select ${column} from ${enhancementLabels} where ${enhancementLabels.enhancementId} = ${sql.placeholder('id')})`;
  const keptFacts = FACTS.map((name) => {
    const column = enhancements[name];
    return [name, sql`coalesce(excluded.${sql.identifier(column.name)}, ${column})`];
  });
  const insert = orm
    .insert(enhancements)
    .values({
      ...placeholders(PROJECTED),
      reference: label(enhancementLabels.reference),
      customMetadata: label(enhancementLabels.customMetadata),
    })
    .onConflictDoUpdate({
      target: enhancements.id,
      set: {
        ...excluded(enhancements, Object.keys(PROJECTED)),
        ...Object.fromEntries(keptFacts),
        revision: risen(enhancements.revision),
      },
      setWhere: sql`${enhancements.status} not in ${ENDED}
        and (${enhancements.revision} < excluded.revision or excluded.status in ${ENDED})
        and ${enhancements.accountId} = excluded.account_id and ${enhancements.uploadId} = excluded.upload_id`,
    })
    .returning({
      uploadId: enhancements.uploadId,
      revision: enhancements.revision,
      reference: enhancements.reference,
      customMetadata: enhancements.customMetadata,
    });
  const labels = sql`select reference, custom_metadata from written
    union all select reference, custom_metadata from ${enhancements}
      where id = ${sql.placeholder('id')} and account_id = ${sql.placeholder('accountId')}`;
  const statement = sql`with written as ${insert}, applied as (
      update ${uploads} set change_seq = change_seq + 1 from written where id = upload_id
      returning upload_id, change_seq, written.revision
    ), ${appendChange('enhancement')}, entered as (${APPEND_ENTRIES}), ${recordEventParts(labels)}
    select ${CHANGE_NOTED} as applied, ${RECORDED_EVENT}, ${LOCKED_TOTALS}`;
  return prepareSql(orm, 'enhancement_projection', statement);
});

/** What a step writes beside the state of an enhancement, in the same statement. */
export interface EnhancementStepParts {
  facts: ReuseFacts | null;
  sentence: string | null;
  /** Ledger entries to append */
  entries?: readonly NewEntry[];
  event?: AnnouncedEvent | null;
}

export interface ProjectedEnhancement extends Projected {
  /** The totals of the period of the entries, before these; null without entries */
  totals: CreditTotals | null;
}

/**
 * Writes the state of an enhancement with the other parts of its step, in one statement. A repetition that does not apply the
 * state writes the other parts all the same.
 */
export async function projectEnhancement(
  orm: Orm,
  labelled: Enhancement,
  { facts, sentence, entries = [], event = null }: EnhancementStepParts,
  nowMs: number,
): Promise<ProjectedEnhancement> {
  const { destination, ...rest } = withoutLabels(labelled) as Enhancement;
  const enhancement = { ...rest, destination: withoutPath(destination) };
  const { rows } = await projection(orm).execute({
    ...recordValues(PROJECTED, { ...enhancement, ...facts }),
    ...changeValues(enhancement, sentence),
    ...entryValues(entries),
    ...eventValues(event, nowMs),
  });
  return rows[0] as never;
}
