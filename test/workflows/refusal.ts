import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Failure } from '@burnish/contract';
import { ApplicationFailure } from '@temporalio/common';

/** The code with which a command was refused; null when it was not. */
export async function refusalCode(command: Promise<unknown>): Promise<string | null> {
  try {
    await command;
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      return error.cause.type ?? null;
    }
    throw error;
  }
}
