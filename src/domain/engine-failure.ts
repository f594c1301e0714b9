import { EngineError } from '../engine/contract/engine-error.ts';
import { Failure } from './failures.ts';

/** Turns an error of the engine into the failure with its code. Any other error stays as it is. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { code, detail, field, cause } = error;
  return new Failure(code, {
    ...(detail !== undefined && { detail }),
    ...(field !== undefined && { field }),
    // The engine uses no part of the machinery but the disk.
    ...(code === 'UNAVAILABLE' && { machinery: 'disk' }),
    ...(cause !== undefined && { cause }),
  });
}

/** @throws Failure in place of an error of the engine */
export function withFailures<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw asFailure(error);
  }
}
