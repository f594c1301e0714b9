import { sql, type SQL } from 'drizzle-orm';
import type { Database, Orm } from '../database.ts';
import { onceBuilt, prepareSql } from '../queries.ts';
import { batchItems } from '../schema/batches.ts';
import { changes } from '../schema/changes.ts';
import { enhancementLabels, enhancements } from '../schema/enhancements.ts';
import { resumableUploads } from '../schema/upload-parts.ts';
import { uploadStarts } from '../schema/upload-starts.ts';
import { uploads } from '../schema/uploads.ts';
import { deliveries, deliveryAttempts, SUBJECT_OF_EVENT, webhookEvents } from '../schema/webhooks.ts';

/** Replaces the name of each file of a deleted upload, since names may identify people. */
export const NO_NAME = 'deleted';

/** Uploads of one step of `sweep`. */
const BATCH = 500;

const { placeholder } = sql;
const IDS = sql`(select jsonb_array_elements_text(${placeholder('ids')}::jsonb))`;
const NAME = sql.raw(`'${NO_NAME}'`);
const NAMELESS = sql.raw(`'{"filename": "${NO_NAME}"}'::jsonb`);
const NOWHERE = sql.raw(`'{"url": null, "key": null, "errorDetail": null}'::jsonb`);

/** Adds values to a JSON object; null stays null. */
const over = (value: SQL, values: SQL): SQL =>
  sql`case when jsonb_typeof(${value}) = 'object' then ${value} || ${values} else ${value} end`;

/** An object whose own objects `result` and `destination` lose what a person gave. */
const withoutParts = (value: SQL): SQL => sql`${value}
  || case when ${value} ? 'result' then jsonb_build_object('result', ${over(sql`(${value} -> 'result')`, NAMELESS)}) else '{}' end
  || case when ${value} ? 'destination'
    then jsonb_build_object('destination', ${over(sql`(${value} -> 'destination')`, NOWHERE)}) else '{}' end`;

/** The reasons of failures, and places of results, may name files. */
const PLAIN_SENTENCE = sql`regexp_replace(${changes.sentence}, '^(Failed with [A-Z_]+|Written to its destination)[: ].*$', '\\1.')`;

const records = onceBuilt((orm) =>
  prepareSql(
    orm,
    'erased_records',
    sql`with named as (
        update ${uploads} set original_filename = ${NAME}, reference = null, custom_metadata = null, webhook_url = null,
          error_detail = null
        where id in ${IDS}
      ), results as (
        update ${enhancements} set reference = null, custom_metadata = null, error_detail = null,
          result = ${over(sql`result`, NAMELESS)}, destination = ${over(sql`destination`, NOWHERE)}
        where upload_id in ${IDS}
      ), history as (
        update ${changes} set sentence = ${PLAIN_SENTENCE}, snapshot = ${withoutParts(sql`snapshot`)} || '{"errorDetail": null}'
          || case subject when 'upload' then ${sql.raw(`'{"originalFilename": "${NO_NAME}"}'::jsonb`)} else '{}' end
        where upload_id in ${IDS}
      ), items as (
        update ${batchItems} set key = case key when upload_id then key else ${NAME} || '/' || position end,
          url = null, url_secret = null, bucket = null, reference = null
        where upload_id in ${IDS}
      ), labels as (
        delete from ${enhancementLabels} where enhancement_id in (select id from ${enhancements} where upload_id in ${IDS})
      ), starts as (
        delete from ${uploadStarts} where upload_id in ${IDS}
      ) delete from ${resumableUploads} where upload_id in ${IDS}`,
  ),
);

/**
 * Erases from the records of deleted uploads what a person gave: names, labels, addresses and places. Ids, prices, sizes, times and
 * codes stay. It may be repeated. The event of the deletion is recorded first, with the labels.
 */
export async function eraseRecords(orm: Orm, uploadIds: readonly string[]): Promise<void> {
  await records(orm).execute({ ids: JSON.stringify(uploadIds) });
}

/** Erases the same from the events of deleted uploads, and the answers of their receivers, once all deliveries have ended. */
async function eraseEvents(orm: Orm, now: string): Promise<string[]> {
  const ofUpload = sql`${SUBJECT_OF_EVENT} = ${uploads.id}`;
  const { rows } = await orm.execute<{ id: string }>(sql`with due as (
      select id from ${uploads}
      where status = 'UPLOAD_DELETED' and erased_at is null and not exists (
        select from ${webhookEvents} join ${deliveries} on ${deliveries.eventId} = ${webhookEvents.id}
        where ${ofUpload} and ${deliveries.status} = 'PENDING')
      order by deleted_at, id limit ${BATCH}
    ), told as (
      update ${webhookEvents} set
        data = (${withoutParts(sql`data`)}) - '{reference,customMetadata}'::text[]
          || case when data ? 'filename' then ${NAMELESS} else '{}' end,
        public_data = ${over(sql`public_data`, sql.raw(`'{"originalFilename": "${NO_NAME}"}'::jsonb`))}
      where ${SUBJECT_OF_EVENT} in (select id from due) returning id
    ), answered as (
      update ${deliveryAttempts} set answer = ''
      where delivery_id in (select ${deliveries.id} from ${deliveries} where event_id in (select id from told))
    )
    update ${uploads} set erased_at = ${now}::timestamptz where id in (select id from due) returning id`);
  return rows.map(({ id }) => id);
}

export function createErasure({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Erases what the deletions of uploads have left: events that were still to be delivered. @returns the number of uploads */
    async sweep(): Promise<number> {
      for (let total = 0; ;) {
        const ids = await orm.transaction(async (tx) => {
          const erased = await eraseEvents(tx, new Date(now()).toISOString());
          // Tombstones from before 1.0.0 still have their names.
          await eraseRecords(tx, erased);
          return erased;
        });
        total += ids.length;
        if (ids.length < BATCH) return total;
      }
    },
  };
}
