import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import { Failure, isFailureCode } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';
import { MACHINERY } from '../../domain/machinery.ts';
import type { ModelSet } from '../neural/model-set.ts';

/** The configuration of a child at its start, as JSON. */
export interface ChildArguments {
  /** A module like `tasks.ts` */
  tasksUrl: string;
  models: ModelSet;
  /** Whether it must exit when its parent has ended */
  watchesParent: boolean;
}

/** From the parent to a child. */
export interface TaskMessage {
  task: string;
  input: unknown;
}

/** From a child to the parent. */
export type ChildMessage =
  | { type: 'ready' }
  | { type: 'progress'; progress: EnhancementProgress }
  | { type: 'done'; output: unknown }
  | { type: 'failed'; failure: WireFailure };

export interface WireFailure {
  code: FailureCode;
  detail: string | undefined;
  field: string | undefined;
  /** With UNAVAILABLE */
  machinery: string | undefined;
  /** For logs in the parent; never shown to a caller */
  cause: string | undefined;
}

/** Any error as data: a Failure keeps its code and message, anything else becomes INTERNAL without public details. */
export function toWire(error: unknown): WireFailure {
  const failure = error instanceof Failure ? error : undefined;
  const hidden = failure ? failure.cause : error;
  const cause = hidden instanceof Error ? (hidden.stack ?? hidden.message) : undefined;
  const { code = 'INTERNAL', message: detail, field, machinery } = failure ?? {};
  return { code, detail, field, machinery, cause };
}

/** The Failure that a child reported. A malformed report means that the file damaged the child. */
export function fromWire(wire: WireFailure): Failure {
  if (!isFailureCode(wire.code)) return new Failure('CORRUPT_FILE');
  const machinery = MACHINERY.find((each) => each === wire.machinery);
  return new Failure(wire.code, {
    ...(machinery === undefined ? {} : { machinery }),
    ...(typeof wire.detail === 'string' ? { detail: wire.detail } : {}),
    ...(typeof wire.field === 'string' ? { field: wire.field } : {}),
    ...(wire.cause === undefined ? {} : { cause: new Error(wire.cause) }),
  });
}
