import { Failure } from '@burnish/contract';
import { FIELD_NAMES } from './names.ts';

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

/** Removes null fields, since GraphQL treats null like an absent field. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each)]));
}

const REST_NAMES = new Map(Object.entries(FIELD_NAMES).map(([restName, name]) => [name, restName]));

/** Gives the fields of arguments, and of the objects in them, their names in REST. */
export function toRestNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toRestNames);
  if (typeof value !== 'object' || value === null) return value;
  const { look, ...named } = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [REST_NAMES.get(name) ?? name, toRestNames(each)]),
  );
  return withLook(named, look);
}

/** Gives an input the look beside its mode, as REST has it: in place of the mode. */
export const withLook = (input: object, look: unknown): object =>
  look === undefined || look === null ? input : { ...input, mode: { look } };
