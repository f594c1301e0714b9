import { explainInOneText } from '../explain-failure.ts';
import type { EnhancementRepresentation } from '../representations/answers.ts';

/** Nexus operations, and the workflows that wait for their results. Its payloads are plain, because callers have no key of this instance. */
export const NEXUS_TASK_QUEUE = 'burnish-nexus';

export const operationWorkflowId = (enhancementId: string): string => `operation/${enhancementId}`;

/** The enhancement that an operation waits for. */
export interface AwaitedEnhancement {
  enhancementId: string;
  uploadId: string;
  /** Sealed with a key of the instance, so that a workflow of another program reads nothing */
  ticket: string;
}

/** Activities of an operation's workflow. */
export interface OperationActivities {
  /** Waits up to `OPERATION_LOOK_MS`. @returns the ended enhancement, or null while it is open */
  awaitEnhancement(awaited: AwaitedEnhancement): Promise<EnhancementRepresentation | null>;
  /** Cancels the enhancement; does nothing if it has ended. */
  cancelEnhancement(awaited: AwaitedEnhancement): Promise<void>;
}

/** The failure that ends an operation, with the code as its type; undefined for a finished enhancement, whose record is the result. */
export function failureOfOperation({ id, status, errorCode, errorDetail }: EnhancementRepresentation) {
  if (status === 'FINISHED') return undefined;
  const type = errorCode ?? status;
  const message =
    errorDetail === null ? `The enhancement ${id} was cancelled.` : explainInOneText(errorCode, errorDetail);
  return { type, message, nonRetryable: true, details: [{ enhancementId: id }] };
}
