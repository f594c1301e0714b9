import type { MaybePromise, ShapeFromTypeParam, TypeParam } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { Failure, type Scope } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import type { Caller, IdempotencyKey, UploadIdempotencyKey } from '../commands/command-types.ts';
import { builder, type InputFieldBuilder, type OurTypes } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { withInput, withoutNulls } from './input.ts';
import { inputFields } from './rest-inputs.ts';

/** Declares a query, a mutation or a type of the schema. */
export type SchemaPart = () => unknown;

type Arguments = Record<string, unknown>;
const NOTHING = z.object({});

interface Declaration<Type extends TypeParam<OurTypes>, Ids extends z.ZodObject, Args extends z.ZodType, Key, Deps> {
  /** Required scope of the API key */
  scope: Scope;
  type: Type;
  description: string;
  /** Arguments with ids of records. A malformed id returns NOT_FOUND, exactly as an unknown one */
  ids?: Ids;
  /** Further arguments, as a REST schema */
  args?: Args;
  handle: (
    request: { caller: Caller; args: z.output<Args> & z.output<Ids>; idempotencyKey: Key },
    deps: Deps,
  ) => MaybePromise<ShapeFromTypeParam<OurTypes, Type, false>>;
}

/** A read that GraphQL declares itself. @param declared with `nullable` where an error leaves the other fields */
export function query<
  Type extends TypeParam<OurTypes>,
  Ids extends z.ZodObject = typeof NOTHING,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Ids, Args, null, Deps> & { nullable?: boolean }): SchemaPart {
  return queryField(name, toField(declared));
}

/** A change that GraphQL declares itself. */
export function mutation<
  Type extends TypeParam<OurTypes>,
  Ids extends z.ZodObject = typeof NOTHING,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Ids, Args, IdempotencyKey, Deps>): SchemaPart {
  return mutationField(name, toField(declared));
}

/** A change that creates an upload. It passes the admission, and always has an idempotency key. */
export function uploadMutation<
  Type extends TypeParam<OurTypes>,
  Ids extends z.ZodObject = typeof NOTHING,
  Args extends z.ZodType = typeof NOTHING,
  Deps = object,
>(name: string, declared: Declaration<Type, Ids, Args, UploadIdempotencyKey, Deps>): SchemaPart {
  return mutationField(name, toField(declared), async (handle, context, info) => {
    const key = await context.uploadIdempotencyKeyFor(info);
    return await context.admit(async () => handle(key));
  });
}

/** A query or a mutation whose argument and type are known at run time only. */
export interface Field {
  scope: Scope;
  type: unknown;
  nullable?: boolean;
  description: string;
  /** Its arguments, as a REST schema */
  args: z.ZodObject;
  /** Validates the arguments. @throws Failure, z.ZodError */
  read: (given: Arguments) => unknown;
  handle: (request: { caller: Caller; args: never; idempotencyKey: never }, deps: never) => unknown;
}

export function queryField(name: string, field: Field): SchemaPart {
  return () => builder.queryField(name, (t) => t.field(options(t.arg, field, (handle) => handle(null))));
}

/** A change supports an `Idempotency-Key`, and an error leaves the other fields. */
export function mutationField(name: string, field: Field, withKey: WithKey = withIdempotencyKey): SchemaPart {
  return () => builder.mutationField(name, (t) => t.field(options(t.arg, { ...field, nullable: true }, withKey)));
}

function toField<Type extends TypeParam<OurTypes>, Ids extends z.ZodObject, Args extends z.ZodType, Key, Deps>({
  ids = NOTHING as never,
  args = NOTHING as never,
  ...field
}: Declaration<Type, Ids, Args, Key, Deps>): Field {
  return {
    ...field,
    args: z.object({ ...ids.shape, ...(args as unknown as z.ZodObject).shape }),
    read(given) {
      const others = Object.entries(given).filter(([name]) => !Object.hasOwn(ids.shape, name));
      return Object.assign(checked(args, Object.fromEntries(others), 'The arguments') as object, readIds(ids, given));
    },
  };
}

/** @throws Failure NOT_FOUND for a malformed id, exactly as for an unknown one */
export function readIds<Ids extends z.ZodObject>(ids: Ids, given: Arguments): z.output<Ids> {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(ids.shape, name));
  const { success, data } = ids.safeParse(Object.fromEntries(own));
  if (!success) throw new Failure('NOT_FOUND');
  return data;
}

/** Runs a handler with the key of the change, once the arguments are valid. */
type WithKey = (handle: (key: unknown) => unknown, context: GraphqlContext, info: GraphQLResolveInfo) => unknown;

const withIdempotencyKey: WithKey = async (handle, context, info) => handle(await context.idempotencyKeyFor(info));

/** The options of a field of Pothos. */
function options(arg: unknown, { args, read, handle, ...others }: Field, withKey: WithKey) {
  return {
    ...others,
    args: inputFields(arg as InputFieldBuilder['field'], args),
    async resolve(_root: unknown, given: Arguments, context: GraphqlContext, info: GraphQLResolveInfo) {
      const request = { caller: context.caller, args: read(withoutNulls(given) as Arguments) };
      const run = async () =>
        await withKey(
          (idempotencyKey) => handle({ ...request, idempotencyKey } as never, context.deps as never),
          context,
          info,
        );
      return await ((given['input'] ?? null) === null ? run() : withInput(run));
    },
  } as never;
}
