import { z } from 'zod';
import { checked } from '@burnish/contract/schemas';
import type { Page } from '../../database/page.ts';
import type { Located } from '../rest/answers.ts';
import type { SharedOperation } from '../rest/shared-operation.ts';
import { pageQuery } from '../schemas/paging.ts';
import { connectionType, pageArgs, pageRequest, type Listed } from './connection.ts';
import { builder, type ObjectRefOf } from './builder.ts';
import { toRestNames } from './input.ts';
import { PUBLIC_SERVICE } from './names.ts';
import { recordType } from './rest-types.ts';
import { type Field, type SchemaPart, mutationField, queryField, readIds } from './root-fields.ts';
import { isIdName } from './type-registry.ts';

type Arguments = Record<string, unknown>;
type Request = Record<'parameters' | 'query' | 'body', unknown>;
const NOTHING = z.object({});
const PAGE = z.object(pageArgs);
/** Subject of a sentence about the whole input. */
const ARGUMENTS = 'The arguments';

interface Result {
  type: unknown;
  nullable?: boolean;
  /** The value of the field, from that of the handler */
  value: (answer: unknown, request: Request) => unknown;
}

const DeletePayload = builder.objectRef<{ id: string }>('DeletePayload').implement({
  description: 'A deleted record.',
  fields: (t) => ({
    deletedId: t.exposeID('id', { description: 'Id of the deleted record.' }),
    success: t.boolean({ description: `${PUBLIC_SERVICE} always true. A failure is an error.`, resolve: () => true }),
  }),
});

/** The query or the mutation that follows from an operation. */
export function operationField(operation: SharedOperation<never>): SchemaPart {
  const { graphql, scope, isRead, handle } = operation;
  const { value, ...result } = resultOf(operation);
  const field: Field = {
    ...{ scope, ...result, ...argumentsOf(operation) },
    description: describe(operation),
    async handle({ args, ...request }, deps) {
      const own = args as Request;
      return value(await handle({ ...request, ...own } as never, deps), own);
    },
  };
  return isRead ? queryField(graphql.field, field) : mutationField(graphql.field, field);
}

function resultOf({ graphql, query, content, isRead }: SharedOperation<never>): Result {
  if (content.kind === 'nothing') {
    return {
      type: DeletePayload,
      value: (_nothing, { parameters }) => ({ id: Object.values(parameters as Arguments)[0] }),
    };
  }
  const record = graphql.record ?? (content.schema as z.ZodObject);
  const type = recordType(record);
  if (content.kind === 'list') return { type: [type], value: (items) => items };
  if (content.kind !== 'page') {
    const isLocated = content.kind === 'located';
    const nullable = isRead && graphql.alwaysThere !== true;
    return { type, nullable, value: (answer) => (isLocated ? (answer as Located<unknown>).body : answer) };
  }
  if (isPaged(query)) return { type: connectionType(type as unknown as ObjectRefOf<Listed>), value: (page) => page };
  return { type: [type], value: (page) => (page as Page<unknown>).items };
}

/** Whether a list is read page by page; GraphQL has a short list whole. */
const isPaged = (query: z.ZodObject | undefined): boolean => query?.shape['limit'] === pageQuery.shape.limit;

/** The arguments: the parameters of the path, the page, those of the query, and the body or its fields. */
function argumentsOf({ graphql, parameters = NOTHING, query, body, failures }: SharedOperation<never>) {
  const { limit: _limit, after: _after, ...filter } = query?.shape ?? {};
  for (const name of graphql.without ?? []) delete filter[name];
  const ofQuery = Object.entries(filter);
  const ids = z.object(Object.fromEntries(ofQuery.filter(([name]) => isIdName(name))));
  const filters = z.object(Object.fromEntries(ofQuery.filter(([name]) => !isIdName(name))));
  const ofBody = graphql.input === true ? z.object({ input: body! }) : (body ?? NOTHING);
  const ofPath = (given: Arguments): unknown =>
    failures.includes('NOT_FOUND')
      ? readIds(parameters, given)
      : checked(parameters, pick(given, parameters), ARGUMENTS);

  function readQuery(given: Arguments): unknown {
    if (query === undefined) return {};
    const rest = { ...readIds(ids, given), ...checked(filters, toTexts(pick(given, filters)), ARGUMENTS) };
    if (!isPaged(query)) return { ...rest, limit: Infinity };
    return { ...rest, ...pageRequest(checked(PAGE, pick(given, PAGE), ARGUMENTS)) };
  }

  function readBody(given: Arguments): unknown {
    const own = checked(ofBody, pick(given, ofBody), ARGUMENTS);
    return graphql.input === true ? own['input'] : own;
  }

  return {
    args: z.object({ ...parameters.shape, ...(isPaged(query) && pageArgs), ...filter, ...ofBody.shape }),
    read(own: Arguments): Request {
      const given = toRestNames(own) as Arguments;
      return { parameters: ofPath(given), query: readQuery(given), body: readBody(given) };
    },
  };
}

const pick = (given: Arguments, { shape }: z.ZodObject): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(shape, name)));

/** The query of an address is text. */
const toTexts = (given: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'boolean' ? String(value) : value]),
  );

/** What the operation does, and the codes of its refusals. */
function describe({ description, query, body, failures }: SharedOperation<never>): string {
  const isRefusable = isPaged(query) || body !== undefined;
  const namesRecord = Object.keys(query?.shape ?? {}).some(isIdName);
  const own = [...(isRefusable ? ['BAD_USER_INPUT'] : []), ...(namesRecord ? ['NOT_FOUND'] : [])];
  const codes = new Set([...own, ...failures]);
  return codes.size === 0 ? description : `${description} Errors: ${[...codes].join(', ')}.`;
}
