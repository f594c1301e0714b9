import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import {
  defaultPayloadConverter,
  log,
  workflowInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { acceptUnsealed, isUnsealed, UNSEALED_SENTENCE } from '../domain/temporal/unsealed.ts';
import { SEALED_COMMANDS_HEADER } from '../domain/temporal/workflow-interface.ts';
import { encodeFailures } from './failure-converter.ts';
import { traceInbound, traceOutbound } from './trace-context.ts';

const refusal = (): ApplicationFailure =>
  ApplicationFailure.create({ type: 'UNSEALED_PAYLOAD', message: UNSEALED_SENTENCE, nonRetryable: true });

/** @throws ApplicationFailure for a value that was sent without a key of this instance */
function accepted<T extends unknown[]>(values: T): T {
  const plain = acceptUnsealed(values, workflowInfo().runStartTime.getTime());
  if (plain === undefined) throw refusal();
  return plain;
}

/**
 * Rejects payloads that no key of this instance has encrypted: a start fails at once, updates and queries are rejected, and
 * signals have no effect. A command without arguments carries no proof of its sender. Workflows that the gateway started with
 * encryption therefore reject such commands.
 */
class SealedInbound implements WorkflowInboundCallsInterceptor {
  constructor(private readonly state: { sealedCommands: boolean }) {}

  execute: NonNullable<WorkflowInboundCallsInterceptor['execute']> = async (input, next) => {
    this.state.sealedCommands = SEALED_COMMANDS_HEADER in input.headers;
    // Without encryption, a message inside a payload would be unreadable in the Web UI. An instance that encrypts marks each
    // unencrypted input.
    encodeFailures(this.state.sealedCommands || input.args.some(isUnsealed));
    return await next({ ...input, args: accepted(input.args) });
  };

  handleSignal: NonNullable<WorkflowInboundCallsInterceptor['handleSignal']> = async (input, next) => {
    try {
      await next({ ...input, args: this.command(input.args) });
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || error.type !== 'UNSEALED_PAYLOAD') throw error;
      log.warn('signal ignored: its payload is not encrypted with a key of this instance', {
        signal: input.signalName,
      });
    }
  };

  validateUpdate: NonNullable<WorkflowInboundCallsInterceptor['validateUpdate']> = (input, next) => {
    next({ ...input, args: this.command(input.args) });
  };

  /** Repeats the check, because the SDK calls validateUpdate only for updates whose handler has a validator. */
  handleUpdate: NonNullable<WorkflowInboundCallsInterceptor['handleUpdate']> = async (input, next) =>
    await next({ ...input, args: this.command(input.args) });

  handleQuery: NonNullable<WorkflowInboundCallsInterceptor['handleQuery']> = async (input, next) =>
    await next({ ...input, args: accepted(input.args) });

  private command(args: unknown[]): unknown[] {
    if (this.state.sealedCommands && args.length === 0) throw refusal();
    return accepted(args);
  }
}

/** Rejects results of activities in the same way, because a foreign worker may have polled the task queue. */
class SealedOutbound implements WorkflowOutboundCallsInterceptor {
  constructor(private readonly state: { sealedCommands: boolean }) {}

  scheduleActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleActivity']> = (input, next) =>
    sealResult(next, input);

  scheduleLocalActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleLocalActivity']> = (input, next) =>
    sealResult(next, input);

  continueAsNew: NonNullable<WorkflowOutboundCallsInterceptor['continueAsNew']> = async (input, next) =>
    await next(this.state.sealedCommands ? { ...input, headers: { ...input.headers, ...sealedHeader() } } : input);
}

async function sealResult<Input>(next: (input: Input) => Promise<unknown>, input: Input): Promise<unknown> {
  let result: unknown;
  try {
    result = await next(input);
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (cause instanceof ApplicationFailure && cause.details?.some(isUnsealed)) {
      Object.assign(cause, { details: acceptUnsealed(cause.details, workflowInfo().runStartTime.getTime()) ?? [] });
    }
    throw error;
  }
  return accepted([result])[0];
}

const sealedHeader = () => ({ [SEALED_COMMANDS_HEADER]: defaultPayloadConverter.toPayload(true) });

/** Interceptors of every workflow. Without encryption no value is marked, so they have no effect. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const state = { sealedCommands: false };
  return { inbound: [new SealedInbound(state), traceInbound], outbound: [new SealedOutbound(state), traceOutbound] };
};
