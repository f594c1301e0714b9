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
import { failureConverter } from './failure-converter.ts';

const refusal = (): ApplicationFailure =>
  ApplicationFailure.create({ type: 'UNSEALED_PAYLOAD', message: UNSEALED_SENTENCE, nonRetryable: true });

/** @throws ApplicationFailure for a value that somebody without our key has sent */
function accepted<T extends unknown[]>(values: T): T {
  const plain = acceptUnsealed(values, workflowInfo().runStartTime.getTime());
  if (plain === undefined) throw refusal();
  return plain;
}

/**
 * Refuses what no key of this instance has encrypted: a start fails at once, an update and a query are refused, a signal has no
 * effect. A command without arguments proves nothing, so workflows that our gateway started with encryption take none.
 */
class SealedInbound implements WorkflowInboundCallsInterceptor {
  constructor(private readonly state: { sealedCommands: boolean }) {}

  execute: NonNullable<WorkflowInboundCallsInterceptor['execute']> = async (input, next) => {
    this.state.sealedCommands = SEALED_COMMANDS_HEADER in input.headers;
    // Without encryption nobody could read the message that a payload hides. An instance that encrypts marks each plain input.
    failureConverter.options.encodeCommonAttributes = this.state.sealedCommands || input.args.some(isUnsealed);
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

  /** Here too, since the SDK asks no interceptor to validate an update whose handler has no validator. */
  handleUpdate: NonNullable<WorkflowInboundCallsInterceptor['handleUpdate']> = async (input, next) =>
    await next({ ...input, args: this.command(input.args) });

  handleQuery: NonNullable<WorkflowInboundCallsInterceptor['handleQuery']> = async (input, next) =>
    await next({ ...input, args: accepted(input.args) });

  private command(args: unknown[]): unknown[] {
    if (this.state.sealedCommands && args.length === 0) throw refusal();
    return accepted(args);
  }
}

/** Refuses results of activities in the same way: a foreign worker may have polled the queue. */
class SealedOutbound implements WorkflowOutboundCallsInterceptor {
  constructor(private readonly state: { sealedCommands: boolean }) {}

  scheduleActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleActivity']> = (input, next) =>
    resultOf(next, input);

  scheduleLocalActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleLocalActivity']> = (input, next) =>
    resultOf(next, input);

  continueAsNew: NonNullable<WorkflowOutboundCallsInterceptor['continueAsNew']> = async (input, next) =>
    await next(this.state.sealedCommands ? { ...input, headers: { ...input.headers, ...sealedHeader() } } : input);
}

async function resultOf<Input>(next: (input: Input) => Promise<unknown>, input: Input): Promise<unknown> {
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

/** For every workflow. Without encryption no value is marked, and they do nothing. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const state = { sealedCommands: false };
  return { inbound: [new SealedInbound(state)], outbound: [new SealedOutbound(state)] };
};
