import { createFairLimiter } from '../../process/fair-limiter.ts';

/** The owner of commands that Burnish gives itself, such as the repairs of the reconciler. */
export const OWN_WORK = 'burnish';

/**
 * Maximum number of starts that a process sends at once, and of updates without an acceptance. Thousands at once would only
 * delay each other at the service.
 */
export const COMMANDS_AT_ONCE = 16;
/** The same of one account, so that two accounts together leave permits to others. Each update costs its workflow several steps. */
export const COMMANDS_OF_ACCOUNT = { starts: 6, updates: 3 } as const;
/** Maximum number of waiting starts or updates of one account. More would not get a permit in time. */
export const WAITING_OF_ACCOUNT = 500;

/**
 * Maximum number of commands that a process sends to one workflow at a time. Temporal allows 10 unanswered updates to a
 * workflow. It refuses the next one, and then forgets the others and the workflow task that a worker has: the worker
 * runs two tasks in one, which its history cannot repeat. Four gateways stay below the limit.
 */
export const UPDATES_OF_WORKFLOW = 2;

const LIMITS = { atOnce: COMMANDS_AT_ONCE, waitingOfOwner: WAITING_OF_ACCOUNT };

/** Updates have permits of their own: they wait for a worker, and a start needs none. */
export const startLimiter = createFairLimiter({ ...LIMITS, ofOwner: COMMANDS_OF_ACCOUNT.starts });
export const updateLimiter = createFairLimiter({
  ...LIMITS,
  ofOwner: COMMANDS_OF_ACCOUNT.updates,
  ofSubject: UPDATES_OF_WORKFLOW,
});
