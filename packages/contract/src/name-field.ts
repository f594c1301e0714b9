import { Failure } from './failure.ts';

/**
 * Runs a check, and adds the caller's name of the field to its failure. @param path of a field, or a prefix ending in
 * a dot
 */
export function nameField<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw relocated(error, path);
  }
}

export async function nameFieldAsync<T>(path: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw relocated(error, path);
  }
}

function relocated(error: unknown, path: string): unknown {
  // A temporary failure is no fault of the field.
  if (!(error instanceof Failure) || error.retryable) return error;
  const field = path.endsWith('.') ? `${path}${error.field ?? ''}`.replace(/\.$/, '') : path;
  return new Failure(error.code, { detail: error.message, field, cause: error });
}
