import type { MaybePromise, ShapeFromTypeParam, TypeParam } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Scope, IdPrefix } from '@burnish/contract';
import type { Caller, IdempotencyKey, UploadIdempotencyKey } from '../commands/command-types.ts';
import { recordId } from '../schemas/fields.ts';
import { builder, type InputFieldBuilder, type OurTypes } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { knownId, withInput, withoutNulls } from './input.ts';
import { inputFields } from './rest-inputs.ts';

type Ids = Record<string, IdPrefix>;
type NoIds = Record<never, IdPrefix>;
const NOTHING = z.object({});

interface Declaration<Type extends TypeParam<OurTypes>, Named extends Ids, Args extends z.ZodType, Key, Deps> {
  /** Required scope of the API key */
  scope: Scope;
  type: Type;
  description: string;
  /** Arguments with the id of a record, by its prefix. A malformed id returns NOT_FOUND, exactly as an unknown one */
  ids?: Named;
  /** Further arguments, as a REST schema */
  args?: Args;
  handle: (
    request: { caller: Caller; args: z.output<Args> & { [Name in keyof Named]: string }; idempotencyKey: Key },
    deps: Deps,
  ) => MaybePromise<ShapeFromTypeParam<OurTypes, Type, false>>;
}

/** Declares a read. @param declared with `nullable` where an error leaves the other fields */
export function query<
  Type extends TypeParam<OurTypes>,
  Named extends Ids = NoIds,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Named, Args, null, Deps> & { nullable?: boolean }): void {
  builder.queryField(name, (t) => t.field(rootField(t.arg, declared, (handle) => handle(null))));
}

/** Declares a change, which supports an `Idempotency-Key`. An error leaves the other fields. */
export function mutation<
  Type extends TypeParam<OurTypes>,
  Named extends Ids = NoIds,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Named, Args, IdempotencyKey, Deps>): void {
  builder.mutationField(name, (t) =>
    t.field(
      rootField(t.arg, { ...declared, nullable: true }, async (handle, context, info) =>
        handle(await context.idempotencyKeyFor(info)),
      ),
    ),
  );
}

/** Declares a change that creates an upload. It passes the admission, and always has an idempotency key. */
export function uploadMutation<
  Type extends TypeParam<OurTypes>,
  Named extends Ids = NoIds,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Named, Args, UploadIdempotencyKey, Deps>): void {
  builder.mutationField(name, (t) =>
    t.field(
      rootField(t.arg, { ...declared, nullable: true }, async (handle, context, info) => {
        const key = await context.uploadIdempotencyKeyFor(info);
        return await context.admit(async () => handle(key));
      }),
    ),
  );
}

/**
 * The options of a field of Pothos.
 * @param withKey runs the handler with the key of the change, once the arguments are valid
 */
function rootField<Type extends TypeParam<OurTypes>, Named extends Ids, Args extends z.ZodType, Key, Deps>(
  arg: unknown,
  {
    ids,
    args = NOTHING as never,
    handle,
    ...options
  }: Declaration<Type, Named, Args, Key, Deps> & { nullable?: boolean },
  withKey: (handle: (key: Key) => unknown, context: GraphqlContext, info: GraphQLResolveInfo) => unknown,
) {
  const named = Object.entries<IdPrefix>(ids ?? {});
  const idSchemas = Object.fromEntries(named.map(([name, prefix]) => [name, recordId(prefix)]));
  const field = arg as InputFieldBuilder['field'];
  return {
    ...options,
    args: { ...inputFields(field, z.object(idSchemas)), ...inputFields(field, args as unknown as z.ZodObject) },
    async resolve(_root: unknown, given: Record<string, unknown>, context: GraphqlContext, info: GraphQLResolveInfo) {
      const others = Object.entries(given).filter(([name]) => !Object.hasOwn(idSchemas, name));
      const request = {
        caller: context.caller,
        args: Object.assign(args.parse(withoutNulls(Object.fromEntries(others))) as object, readIds(named, given)),
      };
      const run = async () =>
        await withKey(
          (idempotencyKey) => handle({ ...request, idempotencyKey } as never, context.deps as Deps),
          context,
          info,
        );
      return await ((given['input'] ?? null) === null ? run() : withInput(run));
    },
  } as never;
}

const readIds = (named: [string, IdPrefix][], given: Record<string, unknown>) =>
  Object.fromEntries(named.map(([name, prefix]) => [name, knownId(prefix, given[name] as string)]));
