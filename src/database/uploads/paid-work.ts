import { createHash } from 'node:crypto';
import { and, desc, eq, isNotNull, ne, sql } from 'drizzle-orm';
import {
  type PlanTerms,
  mediaKind,
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  type MediaType,
} from '@burnish/contract';
import { choosePaidWork, differInPagesAtMost, type PaidWork } from '../../domain/enhancement/paid-work.ts';
import type { Orm } from '../database.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

/** Upper bound; no file has so many. */
const MAX_ROWS = 1_000;

export interface PaidOrder {
  id: string;
  parameters: EnhancementParameters;
  fingerprint: string | null;
}

/**
 * Lists the finished enhancements of a PDF by the local engine that changed it and still have their results, newest first, at
 * most 1,000.
 * @param sourceSha256 hex, of the original
 */
export function listPaid(orm: Orm, accountId: string, sourceSha256: string): Promise<PaidOrder[]> {
  const { id, parameters, fingerprint, finishedAt } = enhancements;
  return orm
    .select({ id, parameters, fingerprint })
    .from(enhancements)
    .innerJoin(uploads, eq(uploads.id, enhancements.uploadId))
    .where(
      and(
        eq(enhancements.accountId, accountId),
        eq(enhancements.sourceSha256, sourceSha256),
        // A literal, so that PostgreSQL can use the partial index
        sql`${enhancements.status} = 'FINISHED'`,
        ne(uploads.status, 'UPLOAD_DELETED'),
        eq(enhancements.provider, 'local'),
        isNotNull(enhancements.result),
        sql`${enhancements.engine} ->> 'unchanged' is distinct from 'true'`,
      ),
    )
    .orderBy(desc(finishedAt), desc(id))
    .limit(MAX_ROWS);
}

/** The part of an order that determines its result, together with the file and the engine. */
export interface OrderedWork {
  /** Hex SHA-256 of the original */
  sha256: string;
  mimetype: MediaType;
  plan: PlanTerms;
  parameters: EnhancementParameters;
}

/** Hex SHA-256 over the parameters with all defaults filled in, so that a default value and its absence are equal. */
export function createFingerprint({ mimetype, plan, parameters }: Omit<OrderedWork, 'sha256'>): string {
  const resolved =
    mediaKind(mimetype) === 'pdf'
      ? resolvePdfParameters(parameters, plan.maxResolution)
      : resolveImageParameters(parameters);
  return createHash('sha256').update(JSON.stringify(resolved)).digest('hex');
}

/**
 * Finds the finished enhancements of the same file whose parameters differ from those of an order in `pages` alone, and so
 * the images that the order need not pay again. Equal parameters do not count: their result is reused, or a newer engine makes it.
 * @returns undefined for none, and for an image
 */
export async function findPaidWork(
  records: { listPaid(accountId: string, sourceSha256: string): Promise<PaidOrder[]> },
  accountId: string,
  order: OrderedWork,
): Promise<PaidWork | undefined> {
  if (mediaKind(order.mimetype) !== 'pdf') return undefined;
  const own = createFingerprint(order);
  const { maxResolution } = order.plan;
  const earlier = (await records.listPaid(accountId, order.sha256)).filter(
    ({ parameters, fingerprint }) =>
      fingerprint !== own &&
      differInPagesAtMost(parameters, order.parameters, maxResolution) &&
      // The plan may have changed since, and with it the default resolution.
      fingerprint === createFingerprint({ ...order, parameters }),
  );
  return choosePaidWork(
    order.parameters.pages,
    earlier.map(({ id, parameters }) => ({ id, pages: parameters.pages })),
  );
}
