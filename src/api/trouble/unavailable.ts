import { isGrpcServiceError } from '@temporalio/client';
import { isDiskFull } from '../../database/full-disk.ts';
import { isDatabaseAway } from './database.ts';
import { Failure } from '../../domain/failures.ts';
import { MACHINERY } from '../../domain/upload/waiting-for.ts';

/** The parts of an instance that can be away, with what a caller reads and the seconds to wait. */
export const PARTS = {
  disk: { detail: 'The disk is full. Try again when there is room.', retryAfterSeconds: 30 },
  storage: { detail: 'Storage does not answer. Try again.', retryAfterSeconds: 10 },
  database: { detail: 'The database does not answer. Try again.', retryAfterSeconds: 5 },
  temporal: { detail: 'The workflow service does not answer. Try again.', retryAfterSeconds: 5 },
  gateway: { detail: 'The gateway has as many uploads as it can take just now. Try again.', retryAfterSeconds: 2 },
} as const;

export type Part = keyof typeof PARTS;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** gRPC status codes that pass by themselves, https://grpc.io/docs/guides/status-codes/ */
const PASSING_GRPC = new Set<number>([1, 4, 8, 10, 14]);

/** The refusal that says which part is away. */
export class Unavailable extends Failure {
  readonly part: Part;

  constructor(part: Part, { cause, ...said }: { detail?: string; retryAfterSeconds?: number; cause?: unknown } = {}) {
    const machinery = MACHINERY.find((each) => each === part);
    super('UNAVAILABLE', { ...PARTS[part], ...said, ...(machinery === undefined ? {} : { machinery }), cause });
    this.part = part;
  }
}

/**
 * Any error with trouble of the infrastructure told as such: the one table from trouble to its code, sentence and
 * `Retry-After`. Every other error is returned as it is.
 */
export function namingTrouble(error: unknown): unknown {
  if (error instanceof Failure && error.code === 'UNAVAILABLE') return withTime(error);
  if (error instanceof Failure && error.code !== 'INTERNAL') return error;
  if (error instanceof Failure && error.retryAfterSeconds !== undefined) {
    // Its author knows that the failure passes; its sentence says more than the table.
    const { message: detail, retryAfterSeconds, cause } = error;
    return new Unavailable(partOf(cause) ?? 'gateway', { detail, retryAfterSeconds, cause });
  }
  const part = partOf(error);
  return part === undefined ? error : new Unavailable(part, { cause: error });
}

/** Layers below the gateway name the part without a time to wait; this adds the time. */
function withTime(error: Failure): Failure {
  const { machinery, message: detail, cause } = error;
  if (error.retryAfterSeconds !== undefined || machinery === undefined) return error;
  return new Unavailable(machinery === 'memory' || machinery === 'worker' ? 'gateway' : machinery, { detail, cause });
}

/** The part that an error comes from when that is away, however deep it is wrapped. */
export function partOf(error: unknown): Part | undefined {
  if (isDiskFull(error)) return 'disk';
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    if ('code' in each && typeof each.code === 'string' && NO_ROOM.has(each.code)) return 'disk';
    if (each.name === 'WorkflowUpdateRPCTimeoutOrCancelledError') return 'temporal';
    if (isGrpcServiceError(each)) return PASSING_GRPC.has(each.code) ? 'temporal' : undefined;
    if (each.name === 'StorageTrouble') return 'storage';
  }
  return isDatabaseAway(error) ? 'database' : undefined;
}
