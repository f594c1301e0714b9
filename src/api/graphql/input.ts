import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import type { IdPrefix } from '../../domain/ids.ts';

/** Checks an argument named `input`. @throws ZodError with the path of the field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed: { input?: unknown } = z.object({ input: schema }).parse({ input: withoutNulls(input) });
  return parsed.input as z.output<Schema>;
}

/** Carries out a command on an argument named `input`: a field that it names is a field of that. */
export async function withInput<T>(command: () => Promise<T>): Promise<T> {
  return await command().catch(renameField((field) => (field === 'Idempotency-Key' ? field : `input.${field}`)));
}

/** Names the field of a refusal as the caller knows it. */
function renameField(rename: (field: string) => string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Failure) || error.field === undefined) throw error;
    const { code, message: detail, retryable, retryAfterSeconds } = error;
    const retryAfter = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new Failure(code, { detail, field: rename(error.field), retryable, ...retryAfter, cause: error });
  };
}

/** The id. @throws Failure NOT_FOUND for a text that cannot be one, exactly as for an id that nothing has */
export function knownId(prefix: IdPrefix, id: string): string {
  if (!isId(prefix, id)) throw new Failure('NOT_FOUND');
  return id;
}

/** In GraphQL a field that is null says no more than one that is absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each)]));
}
