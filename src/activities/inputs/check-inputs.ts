import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { z } from 'zod';
import { Failure } from '@burnish/contract';
import { ownerIn } from '../../domain/files/object-keys.ts';
import { batchWorkflowId, deliveryWorkflowId, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { FailureLog } from '../failure.ts';
import { acceptUnsealed, UNSEALED_SENTENCE } from '../../domain/temporal/unsealed.ts';
import type { HostedService } from '../hosted/hosted-service.ts';
import type { Activities } from '../index.ts';
import type { ActivityMetrics } from '../metrics.ts';
import { SCHEMAS } from './schemas.ts';

/** Input schema of each activity. An activity without an entry does not compile, and never runs. */
export const ACTIVITY_INPUTS: Record<keyof Activities | keyof HostedService, z.ZodType | null> = SCHEMAS;

/** Fields with read-only keys, which may belong to another upload of the same account. */
const SHARED: Partial<Record<string, readonly string[]>> = { copyResult: ['from'], adoptFile: ['from'] };

/** Maximum number of problems in one log entry. */
const MAX_PROBLEMS = 10;

/**
 * Rejects an activity whose input does not match its schema, or names a file, an upload or a delivery of another workflow. An
 * attacker that can start workflows therefore cannot read, copy, replace or delete a file of one upload through another. No
 * Burnish workflow sends such an input, so the failure is non-retryable.
 *
 * Workflows of a later version may send fields that this worker does not know. It ignores and counts them; an unknown parameter
 * of an enhancement waits for a worker that knows it.
 */
export function checkedInputs(
  context: Context,
  log: FailureLog,
  { unknownFields }: Pick<ActivityMetrics, 'unknownFields'>,
): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const { activityType, workflowExecution } = context.info;
      const workflowId = workflowExecution?.workflowId ?? '';
      const checked = checkInput(activityType, workflowId, input.args);
      if ('args' in checked) {
        if (checked.unknown > 0) unknownFields.inc({ activity: activityType }, checked.unknown);
        return next({ ...input, args: checked.args });
      }
      log.error({ activityType, workflowId, problems: checked.details }, 'activity refused: its input is not valid');
      if (checked.laterVersion) throw new Failure('UNAVAILABLE', { detail: checked.sentence, machinery: 'worker' });
      throw ApplicationFailure.create({ type: 'INTERNAL', message: checked.sentence, nonRetryable: true });
    },
  };
}

interface Problem {
  /** Public sentence; the history and the record contain it */
  sentence: string;
  /** Details for the log, without quotes from the input */
  details: string[];
  /** Whether a worker of a later version may accept the input */
  laterVersion?: boolean;
}

/** @returns the known fields of a valid input and the number of unknown ones, or the fault */
function checkInput(
  activityType: string,
  workflowId: string,
  args: readonly unknown[],
): { args: unknown[]; unknown: number } | Problem {
  const malformed = (details: string[]): Problem => ({
    sentence: `The input of ${activityType} is not valid, so nothing was done. Start work through the API.`,
    details: details.slice(0, MAX_PROBLEMS),
  });
  if (!isKnown(activityType)) return malformed(['no activity of this name takes input']);
  const schema = ACTIVITY_INPUTS[activityType];
  if (schema === null) return args.length === 0 ? { args: [], unknown: 0 } : malformed(['expected no input']);
  if (args.length !== 1) return malformed([`expected one input but received ${args.length}`]);
  const parsed = schema.safeParse(args[0]);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const fault = malformed(issues.map(({ path, code }) => `${path.join('.')}: ${code}`));
    if (issues.some(({ code }) => code !== 'unrecognized_keys')) return fault;
    const sentence = 'The work needs a parameter that this worker does not know. Upgrade the workers.';
    return { ...fault, sentence, laterVersion: true };
  }
  const foreign = foreignIn(parsed.data, workflowId, SHARED[activityType] ?? []);
  if (foreign.length === 0) return { args: [parsed.data], unknown: countFields(args[0]) - countFields(parsed.data) };
  const sentence = `The input of ${activityType} names files of another upload or account, so nothing was done.`;
  return { sentence, details: foreign.slice(0, MAX_PROBLEMS) };
}

function isKnown(activityType: string): activityType is keyof typeof ACTIVITY_INPUTS {
  return Object.hasOwn(ACTIVITY_INPUTS, activityType);
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return own + Object.values(value).reduce<number>((sum, each) => sum + countFields(each), 0);
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
      } else if (field === 'batchId' && batchWorkflowId(value) !== workflowId)
        foreign.push(`${field}: of another batch`);
    } else if (Array.isArray(value)) for (const each of value) look(each, field);
    else if (typeof value === 'object' && value !== null) {
      if (field === 'upload' && 'id' in value) expectUpload(String(value.id), 'upload.id');
      if (field === 'batch' && 'id' in value) look(String(value.id), 'batchId');
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
