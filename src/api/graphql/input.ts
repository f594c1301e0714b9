import { Failure, isId, type IdPrefix } from '@burnish/contract';

/** Runs a command on an argument named `input`. Prefixes the field of its failure with `input`. */
export async function withInput<T>(command: () => Promise<T>): Promise<T> {
  return await command().catch(renameField((field) => (field === 'Idempotency-Key' ? field : `input.${field}`)));
}

/** Runs a command about a list with one enhancement, which is the argument `input` itself. */
export async function withOneEnhancement<T>(command: () => Promise<T>): Promise<T> {
  return await command().catch(renameField((field) => field.replace(/^enhancements\[0\]\.?/, '') || undefined));
}

/** Renames the field of a refusal to the caller's name. @param rename undefined: no field */
function renameField(rename: (field: string) => string | undefined): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Failure) || error.field === undefined) throw error;
    const { code, message: detail, retryable, retryAfterSeconds } = error;
    const field = rename(error.field);
    const retryAfter = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new Failure(code, { detail, ...(field && { field }), retryable, ...retryAfter, cause: error });
  };
}

/** Checks an id. @throws Failure NOT_FOUND for a malformed id, exactly as for an unknown one */
export function knownId(prefixes: IdPrefix | readonly IdPrefix[], id: string): string {
  if (![prefixes].flat().some((prefix) => isId(prefix, id))) throw new Failure('NOT_FOUND');
  return id;
}

/** Removes null fields, since GraphQL treats null like an absent field. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each)]));
}
