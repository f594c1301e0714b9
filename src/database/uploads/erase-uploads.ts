import type { Database, Orm } from '../database.ts';
import { statement } from '../statement.ts';

/** Replaces the name of each file of a deleted upload, since names may identify people. */
export const NO_NAME = 'deleted';

/** Uploads of one step of `sweep`. */
const BATCH = 500;

const NAMELESS = `'{"filename": "${NO_NAME}"}'::jsonb`;
const NOWHERE = `'{"url": null, "key": null, "errorDetail": null}'::jsonb`;

const ERASE = statement(
  'erased_records',
  `
  with deleted as (
    select jsonb_array_elements_text(:ids::jsonb) as id
  ), named as (
    update uploads set original_filename = '${NO_NAME}', reference = null, custom_metadata = null, webhook_url = null,
      error_detail = null
    where id in (select id from deleted)
  ), results as (
    update enhancements set reference = null, custom_metadata = null, error_detail = null,
      result = case when jsonb_typeof(result) = 'object' then result || ${NAMELESS} else result end,
      destination = case when jsonb_typeof(destination) = 'object' then destination || ${NOWHERE} else destination end
    where upload_id in (select id from deleted)
  ), history as (
    update changes set
      -- The reasons of failures, and places of results, may name files.
      sentence = regexp_replace(sentence, '^(Failed with [A-Z_]+|Written to its destination)[: ].*$', '\\1.'),
      snapshot = snapshot || '{"errorDetail": null}'
        || case subject when 'upload' then '{"originalFilename": "${NO_NAME}"}'::jsonb else '{}' end
        || case when jsonb_typeof(snapshot -> 'result') = 'object'
          then jsonb_build_object('result', (snapshot -> 'result') || ${NAMELESS}) else '{}' end
        || case when jsonb_typeof(snapshot -> 'destination') = 'object'
          then jsonb_build_object('destination', (snapshot -> 'destination') || ${NOWHERE}) else '{}' end
    where upload_id in (select id from deleted)
  ), items as (
    update batch_items set key = case key when upload_id then key else '${NO_NAME}/' || position end,
      url = null, url_secret = null, bucket = null, reference = null
    where upload_id in (select id from deleted)
  ), labels as (
    delete from enhancement_labels
    where enhancement_id in (select id from enhancements where upload_id in (select id from deleted))
  ), starts as (
    delete from upload_starts where upload_id in (select id from deleted)
  )
  delete from resumable_uploads where upload_id in (select id from deleted)`,
);

/**
 * Erases from the records of deleted uploads what a person gave: names, labels, addresses and places. Ids, prices, sizes, times and
 * codes stay. It may be repeated. The event of the deletion is recorded first, with the labels.
 */
export async function eraseRecords(orm: Orm, uploadIds: readonly string[]): Promise<void> {
  await ERASE(orm, { ids: JSON.stringify(uploadIds) });
}

/** Erases the same from the events of deleted uploads, and the answers of their receivers, once all deliveries have ended. */
const ERASE_EVENTS = statement<{ id: string }>(
  'erased_events',
  `
  with due as (
    select id from uploads
    where status = 'UPLOAD_DELETED' and erased_at is null and not exists (
      select from webhook_events join deliveries on deliveries.event_id = webhook_events.id
      where coalesce(data ->> 'uploadId', data ->> 'id') = uploads.id and deliveries.status = 'PENDING'
    )
    order by deleted_at, id limit ${BATCH}
  ), events as (
    update webhook_events set
      data = (data
        || case when jsonb_typeof(data -> 'result') = 'object'
          then jsonb_build_object('result', (data -> 'result') || ${NAMELESS}) else '{}' end
        || case when jsonb_typeof(data -> 'destination') = 'object'
          then jsonb_build_object('destination', (data -> 'destination') || ${NOWHERE}) else '{}' end
      ) - '{reference,customMetadata}'::text[] || case when data ? 'filename' then ${NAMELESS} else '{}' end,
      public_data = case when jsonb_typeof(public_data) = 'object'
        then public_data || '{"originalFilename": "${NO_NAME}"}' else public_data end
    where coalesce(data ->> 'uploadId', data ->> 'id') in (select id from due)
    returning id
  ), answers as (
    update delivery_attempts set answer = ''
    where delivery_id in (select id from deliveries where event_id in (select id from events))
  )
  update uploads set erased_at = :now::timestamptz where id in (select id from due) returning id`,
);

export type Erasure = ReturnType<typeof createErasure>;

export function createErasure({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** Erases what the deletions of uploads have left: events that were still to be delivered. @returns the number of uploads */
    async sweep(): Promise<number> {
      for (let total = 0; ;) {
        const ids = await orm.transaction(async (tx) => {
          const rows = await ERASE_EVENTS(tx, { now: new Date(now()).toISOString() });
          const erased = rows.map(({ id }) => id);
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
