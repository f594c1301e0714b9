import type { EnhancementRepresentation } from '@burnish/contract';

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
