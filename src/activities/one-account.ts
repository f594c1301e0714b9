import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { FAILURES } from '../domain/failures.ts';
import type { FailureLog } from './failure.ts';

/** Fields of inputs that hold object keys. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['objectKey', 'resultKey', 'workKey', 'from', 'to']);
/** Inputs of activities are a few levels deep. */
const MAX_DEPTH = 8;

/**
 * Refuses an activity whose input mixes accounts. An attacker who can start workflows cannot read, copy or replace a file of one
 * account for another. Such an input comes from no workflow of ours, so it is not tried again.
 */
export function oneAccountInterceptor(context: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const accounts = accountsIn(input.args);
      if (accounts.size <= 1) return next(input);
      const { activityType, workflowExecution } = context.info;
      const facts = { activityType, workflowId: workflowExecution?.workflowId, accounts: [...accounts] };
      log.error(facts, 'activity refused: its input names files of more than one account');
      throw ApplicationFailure.create({
        type: 'INTERNAL',
        message: FAILURES.INTERNAL.sentence,
        nonRetryable: true,
      });
    },
  };
}

/** The accounts that an input names, by id and by the first part of its object keys. */
export function accountsIn(input: unknown): Set<string> {
  const accounts = new Set<string>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'string') look(field, depth + 1);
      else if (name === 'accountId') accounts.add(field);
      else if (KEY_FIELDS.has(name) && field.includes('/')) accounts.add(field.slice(0, field.indexOf('/')));
    }
  };
  look(input, 0);
  return accounts;
}
