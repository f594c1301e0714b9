import { termsOf, type GivenPlan } from '../accounts/plans.ts';

/** Workflows and light I/O. */
export const MAIN_TASK_QUEUE = 'burnish';
/** CPU work; polled by engine workers only. */
export const ENGINE_TASK_QUEUE = 'burnish-engine';
/** Calls to the hosted service; polled by main workers of instances that have one, at the rate that they agreed on. */
export const HOSTED_TASK_QUEUE = 'burnish-hosted';

/** Temporal's priority keys, 1 to 5: a task with a lower key goes first. */
export const PRIORITY_KEYS = {
  /** Somebody waits for it, at the dashboard or with `Prefer: wait` */
  interactive: 2,
  /** One upload of a caller; Temporal's own default */
  single: 3,
  /** Work that came as one of many */
  batch: 4,
  /** Part of a large PDF: a photograph waits for one of them at most */
  span: 5,
} as const;

export type Urgency = Exclude<keyof typeof PRIORITY_KEYS, 'span'>;

/**
 * The priority of an upload's workflow, which its activities inherit: accounts share the queues fairly, by the weight of their plan.
 * A server without fairness serves tasks of one priority first come, first served.
 */
export function priorityOf(accountId: string, plan: GivenPlan, urgency: Urgency) {
  return {
    priorityKey: PRIORITY_KEYS[urgency],
    fairnessKey: accountId,
    fairnessWeight: termsOf(plan).fairnessWeight,
  };
}
