import { isGrpcServiceError } from '@temporalio/client';
import { MACHINERY, OUTAGES, Failure } from '@burnish/contract';
import { listCauses } from '../../domain/causes.ts';
import { failedMachinery, isDiskFull } from '../../domain/failed-machinery.ts';
import { isOutage } from '../../temporal/grpc-status.ts';

/** The parts of an instance that can be unavailable, each with a sentence for callers and a retry delay in seconds. */
export const PARTS = {
  disk: { detail: `${OUTAGES.disk.sentence} Try again later.`, retryAfterSeconds: 30 },
  storage: { detail: `${OUTAGES.storage.sentence} Try again.`, retryAfterSeconds: 10 },
  database: { detail: `${OUTAGES.database.sentence} Try again.`, retryAfterSeconds: 5 },
  bucket: { detail: `${OUTAGES.bucket.sentence} Try again.`, retryAfterSeconds: 10 },
  temporal: { detail: 'The workflow service does not respond. Try again.', retryAfterSeconds: 5 },
  gateway: { detail: 'The gateway is at its limit of concurrent uploads. Try again.', retryAfterSeconds: 2 },
} as const;

export type Part = keyof typeof PARTS;

export class Unavailable extends Failure {
  readonly part: Part;

  constructor(part: Part, { cause, ...said }: { detail?: string; retryAfterSeconds?: number; cause?: unknown } = {}) {
    const machinery = MACHINERY.find((each) => each === part);
    super('UNAVAILABLE', { ...PARTS[part], ...said, ...(machinery === undefined ? {} : { machinery }), cause });
    this.part = part;
  }
}

/** @throws Unavailable */
export function refuseDatabase(): never {
  throw new Unavailable('database');
}

/**
 * Converts an error of an unavailable part to a refusal that names the part, with its sentence and `Retry-After`.
 * Returns every other error unchanged.
 */
export function namingTrouble(error: unknown): unknown {
  if (error instanceof Failure && error.code === 'UNAVAILABLE') return withTime(error);
  if (error instanceof Failure && error.code !== 'INTERNAL') return error;
  if (error instanceof Failure && error.retryAfterSeconds !== undefined) {
    // The thrower marked the failure as temporary, and its sentence is more specific than the table's.
    const { message: detail, retryAfterSeconds, cause } = error;
    return new Unavailable(findUnavailablePart(cause) ?? 'gateway', { detail, retryAfterSeconds, cause });
  }
  const part = findUnavailablePart(error);
  return part === undefined ? error : new Unavailable(part, { cause: error });
}

/** Adds the retry delay. Layers below the gateway name the part without one. */
function withTime(error: Failure): Failure {
  const { machinery, message: detail, cause } = error;
  if (error.retryAfterSeconds !== undefined || machinery === undefined) return error;
  return new Unavailable(machinery === 'memory' || machinery === 'worker' ? 'gateway' : machinery, { detail, cause });
}

/** The part that caused an error, at any depth of its causes; undefined for any other error. */
export function findUnavailablePart(error: unknown): Part | undefined {
  if (isDiskFull(error)) return 'disk';
  for (const each of listCauses(error)) {
    if (each.name === 'WorkflowUpdateRPCTimeoutOrCancelledError') return 'temporal';
    if (isGrpcServiceError(each)) return isOutage(each) ? 'temporal' : undefined;
  }
  return failedMachinery(error);
}
