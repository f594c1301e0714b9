import {
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { describeFinding, type DescribedFinding, type Finding, type Path } from '@burnish/contract/schemas';
import { placeOfType } from './type-place.ts';

type Fault = Pick<Finding, 'path' | 'fault' | 'value'>;

/**
 * The fault of a variable, in the words that REST has for it.
 * @param error refusal by GraphQL, whose message quotes the whole variable
 * @param variables of the request
 * @returns undefined for an error about something else
 */
export function findVariableFault(
  schema: GraphQLSchema,
  { nodes }: GraphQLError,
  variables: unknown,
): DescribedFinding | undefined {
  const [node] = nodes ?? [];
  if (node?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  const type = typeFromAST(schema, node.type as never);
  if (!isInputType(type)) return undefined;
  const name = node.variable.name.value;
  const given = isObject(variables) ? variables[name] : undefined;
  const fault = firstFault(type, given, [name]);
  if (fault === undefined) return undefined;
  const fields = new Map([[name, () => placeOfType(type)]]);
  return describeFinding({ root: { is: 'object', expected: 'an object', fields, isSecret: false }, ...fault });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first value that a type refuses, as GraphQL does. An unknown field comes before a missing one, which it may explain. */
function firstFault(type: GraphQLInputType, value: unknown, path: Path): Fault | undefined {
  if (isNonNullType(type)) {
    const isMissing = value === undefined || value === null;
    return isMissing ? { path, fault: 'missing', value } : firstFault(type.ofType, value, path);
  }
  if (value === undefined || value === null) return undefined;
  const wrong: Fault = { path, fault: 'wrong', value };
  if (isListType(type)) {
    if (!Array.isArray(value)) return firstFault(type.ofType, value, path);
    return first(value.map((each, index) => () => firstFault(type.ofType, each, [...path, index])));
  }
  if (isInputObjectType(type)) {
    if (!isObject(value)) return wrong;
    const fields = type.getFields();
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) return { path: [...path, unknown], fault: 'unknown', value: value[unknown] };
    return first(
      Object.values(fields)
        .filter(({ name, defaultValue }) => value[name] !== undefined || defaultValue === undefined)
        .map((field) => () => firstFault(field.type, value[field.name], [...path, field.name])),
    );
  }
  return isLeafType(type) && isAccepted(() => type.parseValue(value)) ? undefined : wrong;
}

function first(looks: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const look of looks) {
    const fault = look();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isAccepted(parse: () => unknown): boolean {
  try {
    return parse() !== undefined;
  } catch {
    return false;
  }
}
