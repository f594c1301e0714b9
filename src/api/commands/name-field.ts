import { Failure } from '../../domain/failures.ts';

/** Runs a check, and names the field at fault as the caller wrote it. @param path of a field, or a prefix ending in a dot */
export function nameField<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw relocated(error, path);
  }
}

/** As `nameField`, for a check that takes time. */
export async function nameFieldAsync<T>(path: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw relocated(error, path);
  }
}

function relocated(error: unknown, path: string): unknown {
  if (!(error instanceof Failure)) return error;
  const field = path.endsWith('.') ? `${path}${error.field ?? ''}`.replace(/\.$/, '') : path;
  return new Failure(error.code, { detail: error.message, field, cause: error });
}
