import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadRecord } from '../../e2e/api.ts';
import type { Instance } from '../../support/instance.ts';
import { until } from '../../support/until.ts';
import type { Place, Row } from './place.ts';

interface LedgerLine {
  enhancementId: string | null;
  entries: { kind: string }[];
}

/** All uploads with their enhancements. */
export const UPLOADS = '/v1/uploads?include=enhancements&limit=100';

/** The records and files of a process with everything embedded. @param present the process, which may be another one after a restart */
export function recordsOf(present: () => Instance): Pick<Place, 'rows' | 'files'> {
  return {
    rows: (prefix, ids) => until(() => rowsOf(present(), prefix, ids), undefined, { pauseMs: 500 }),
    files: async () =>
      (await readdir(join(present().dataDir, 'files'), { recursive: true }).catch(() => [])).filter(
        (path) => path.endsWith('.object') && !path.startsWith('instance'),
      ),
  };
}

/** A process with everything embedded in which nothing fails. */
export function placeOf(instance: Instance): Place {
  const { url, apiKey, api } = instance;
  return {
    ...{ url, apiKey, api, parts: {} },
    ...recordsOf(() => instance),
    replaceDead: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  };
}

/**
 * Reads all pages of a list.
 * @param path with a query
 * @returns undefined when an answer is missing or not 200
 */
export async function readAll<Item>(instance: Instance, path: string, after = ''): Promise<Item[] | undefined> {
  const answer = await instance.api
    .get<{ items: Item[]; next: string | null }>(`${path}${after}`)
    .catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  const { items, next } = answer.body;
  const rest = next === null ? [] : await readAll<Item>(instance, path, `&after=${encodeURIComponent(next)}`);
  return rest && [...items, ...rest];
}

/**
 * Reads records and ledger as callers do, since the process alone may open its database.
 * @returns undefined while it does not answer
 */
async function rowsOf(instance: Instance, prefix: string, ids: readonly string[]): Promise<Row[] | undefined> {
  const uploads = await readAll<UploadRecord>(instance, UPLOADS);
  const lines = await readAll<LedgerLine>(instance, '/v1/credits/entries?limit=100');
  if (uploads === undefined || lines === undefined) return undefined;
  return uploads
    .filter(({ id, originalFilename }) => originalFilename.startsWith(prefix) || ids.includes(id))
    .map(({ id, originalFilename, status, subStatus, errorCode, enhancements: [enhancement] }) => {
      const kinds = lines
        .filter(({ enhancementId }) => enhancement !== undefined && enhancementId === enhancement.id)
        .flatMap(({ entries }) => entries.map(({ kind }) => kind));
      const count = (...wanted: string[]): number => kinds.filter((kind) => wanted.includes(kind)).length;
      return {
        id,
        name: originalFilename,
        status,
        sub_status: subStatus,
        error_code: errorCode,
        enhancement: enhancement?.id ?? null,
        enhancement_status: enhancement?.status ?? null,
        enhancement_error: enhancement?.errorCode ?? null,
        captures: count('capture'),
        reserved: count('reserve') - count('capture', 'release'),
      };
    });
}
