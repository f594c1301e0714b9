import { EngineError } from './engine/engine-error.ts';
import { Failure } from './failure.ts';

/** The failure with the code of an error of the engine. */
export function failureOf({ code, detail, field, cause }: EngineError): Failure {
  return new Failure(code, {
    ...(detail !== undefined && { detail }),
    ...(field !== undefined && { field }),
    // The engine uses no part of the machinery but the disk.
    ...(code === 'UNAVAILABLE' && { machinery: 'disk' }),
    ...(cause !== undefined && { cause }),
  });
}

/** Turns an error of the engine into the failure with its code. Any other error stays as it is. */
export const asFailure = (error: unknown): unknown => (error instanceof EngineError ? failureOf(error) : error);

/** @throws Failure in place of an error of the engine */
export function withFailures<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw asFailure(error);
  }
}
