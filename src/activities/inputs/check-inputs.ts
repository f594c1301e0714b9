import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ownerIn } from '../../domain/files/object-keys.ts';
import { deliveryWorkflowId, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { FailureLog } from '../failure.ts';
import { ACTIVITY_INPUTS, type ActivityInput } from './activity-inputs.ts';
import { acceptUnsealed, UNSEALED_SENTENCE } from '../../domain/temporal/unsealed.ts';

/** Maximum number of problems in one log entry. */
const MAX_PROBLEMS = 10;

/**
 * Rejects an activity whose input does not match its schema, or names a file, an upload or a delivery of another workflow. An
 * attacker that can start workflows therefore cannot read, copy, replace or delete a file of one upload through another. No
 * Burnish workflow sends such an input, so the failure is non-retryable.
 */
export function checkedInputs(context: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const { activityType, workflowExecution } = context.info;
      const workflowId = workflowExecution?.workflowId ?? '';
      const problem = problemOf(activityType, workflowId, input.args);
      if (problem === undefined) return next(input);
      log.error({ activityType, workflowId, problems: problem.details }, 'activity refused: its input is not valid');
      throw ApplicationFailure.create({ type: 'INTERNAL', message: problem.sentence, nonRetryable: true });
    },
  };
}

interface Problem {
  /** Public sentence; the history and the record contain it */
  sentence: string;
  /** Details for the log, without quotes from the input */
  details: string[];
}

/** The fault in the input of an activity; undefined for a valid input. */
export function problemOf(activityType: string, workflowId: string, args: readonly unknown[]): Problem | undefined {
  const activity = Object.hasOwn(ACTIVITY_INPUTS, activityType)
    ? (ACTIVITY_INPUTS as Record<string, ActivityInput>)[activityType]
    : undefined;
  const malformed = (details: string[]): Problem => ({
    sentence: `The input of ${activityType} is not valid, so nothing was done. Start work through the API.`,
    details: details.slice(0, MAX_PROBLEMS),
  });
  if (activity === undefined) return malformed(['no activity of this name takes input']);
  if (activity.schema === null) return args.length === 0 ? undefined : malformed(['expected no input']);
  if (args.length !== 1) return malformed([`expected one input but received ${args.length}`]);
  const parsed = activity.schema.safeParse(args[0]);
  if (!parsed.success) {
    return malformed(parsed.error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`));
  }
  const foreign = foreignIn(args[0], workflowId, activity.shared ?? []);
  if (foreign.length === 0) return undefined;
  const sentence = `The input of ${activityType} names files of another upload or account, so nothing was done.`;
  return { sentence, details: foreign.slice(0, MAX_PROBLEMS) };
}

/** Lists ids and keys in an input that do not belong to the calling workflow. */
function foreignIn(input: unknown, workflowId: string, shared: readonly string[]): string[] {
  const accounts = new Set<string>();
  const foreign: string[] = [];
  const expectUpload = (uploadId: string, field: string): void => {
    if (uploadWorkflowId(uploadId) !== workflowId) foreign.push(`${field}: of another upload`);
  };
  const look = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      const owner = ownerIn(value);
      if (owner !== undefined) {
        accounts.add(owner.accountId);
        if (!shared.includes(field)) expectUpload(owner.uploadId, field);
      } else if (field === 'accountId') accounts.add(value);
      else if (field === 'uploadId') expectUpload(value, field);
      else if (field === 'deliveryId' && deliveryWorkflowId(value) !== workflowId) {
        foreign.push(`${field}: of another delivery`);
      }
    } else if (Array.isArray(value)) for (const each of value) look(each, field);
    else if (typeof value === 'object' && value !== null) {
      if (field === 'upload' && 'id' in value) expectUpload(String(value.id), 'upload.id');
      for (const [name, each] of Object.entries(value)) look(each, name);
    }
  };
  look(input, '');
  if (accounts.size > 1) foreign.push('files of more than one account');
  return foreign;
}

/**
 * Rejects an activity whose input no key of this instance has encrypted, before any of it is read. No Burnish workflow sends
 * such an input, so the failure is non-retryable. Without encryption no input is marked.
 */
export function sealedInputInterceptor({ info }: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const args = acceptUnsealed(input.args, info.scheduledTimestampMs);
      if (args !== undefined) return next({ ...input, args });
      const { activityType, workflowExecution } = info;
      const facts = { activityType, workflowId: workflowExecution?.workflowId };
      log.error(facts, 'activity refused: its input is not encrypted with a key of this instance');
      throw ApplicationFailure.create({ type: 'UNSEALED_PAYLOAD', message: UNSEALED_SENTENCE, nonRetryable: true });
    },
  };
}
