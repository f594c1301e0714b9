import SchemaBuilder from '@pothos/core';
import type {
  FieldNullability,
  InputFieldBuilder as InputBuilder,
  InputFieldMap,
  ObjectFieldBuilder as ObjectBuilder,
  SchemaTypes,
  TypeParam,
} from '@pothos/core';
import type { Scope } from '../../domain/accounts/scopes.ts';
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

declare global {
  // Each parameter has to stand as Pothos declares it.
  namespace PothosSchemaTypes {
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Scope that the API key has to have */
      scope: Scope;
    }
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Scope that the API key has to have */
      scope: Scope;
    }
  }
}

/** Types, fields and operations are declared on this; a resolver that gives what its field does not say fails the build. */
export const builder = new SchemaBuilder<BurnishSchema>({ defaultFieldNullability: false });

type OurTypes = PothosSchemaTypes.ExtendDefaultTypes<BurnishSchema>;

/** Declares the fields of an input. */
export type InputFieldBuilder = InputBuilder<OurTypes, 'InputObject'>;

/** Declares the fields of a type whose values are objects. */
export type ObjectFieldBuilder<Values> = ObjectBuilder<OurTypes, Values>;
