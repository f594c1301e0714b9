import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlContext } from '../context.ts';
import { scheduled } from './item-scheduler.ts';

type Field = GraphQLField<unknown, GraphqlContext>;

/**
 * Limits the work of resolvers in every field of the schema, including new ones. Lists of objects are completed in
 * slices, and no change begins after the document's deadline.
 */
export function boundSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()) as Field[]) {
      if (isObjectList(field)) completeBySlices(field);
      if (type === schema.getMutationType()) beginInTime(field);
    }
  }
  return schema;
}

const isObjectList = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && isObjectType(getNamedType(type));

function completeBySlices(field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = async (parent, args, context, info) => {
    const items = (await resolve(parent, args, context, info)) as Iterable<unknown> | null | undefined;
    return items && scheduled(items, context.scheduler);
  };
}

function beginInTime(field: Field): void {
  const { resolve } = field;
  field.resolve = (parent, args, context, info) => {
    context.assertInTime();
    return resolve?.(parent, args, context, info);
  };
}
