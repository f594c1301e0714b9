import { workflowInfo } from '@temporalio/workflow';
import type { Priority } from '@temporalio/common';
import { PRIORITY_KEYS } from '../domain/temporal/priorities.ts';

/** How the activities of one enhancement are told apart, and their turn in the queue. */
export interface WorkOptions {
  /** For the Web UI */
  summary: string;
  /** Absent: that of the workflow */
  priority?: Priority;
}

/**
 * The option of an activity with a turn of its own, within the fair share of the same account.
 * @param key undefined: no option, which leaves the turn of the workflow
 */
export function withPriority(key: keyof typeof PRIORITY_KEYS | undefined): Pick<WorkOptions, 'priority'> {
  return key === undefined ? {} : { priority: { ...workflowInfo().priority, priorityKey: PRIORITY_KEYS[key] } };
}
