import SchemaBuilder from '@pothos/core';
import type { InputFieldBuilder as InputBuilder, ObjectFieldBuilder as ObjectBuilder } from '@pothos/core';
import type { GraphqlContext } from './context.ts';

export interface BurnishSchema {
  Context: GraphqlContext;
  DefaultFieldNullability: false;
  Scalars: {
    /** A number; arithmetic on it is that of JSON numbers */
    Decimal: { Input: number; Output: number };
    /** ISO 8601 in UTC with milliseconds and `Z` */
    DateTime: { Input: string; Output: string };
    ID: { Input: string; Output: string };
  };
}

/** Types, fields and operations are declared on this; a resolver that gives what its field does not say fails the build. */
export const builder = new SchemaBuilder<BurnishSchema>({ defaultFieldNullability: false });

type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<BurnishSchema>;

/** Declares the fields of an input. */
export type InputFieldBuilder = InputBuilder<SchemaTypes, 'InputObject'>;

/** Declares the fields of a type whose values are objects. */
export type ObjectFieldBuilder<Values> = ObjectBuilder<SchemaTypes, Values>;
