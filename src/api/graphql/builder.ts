import SchemaBuilder, {
  type FieldNullability,
  type InputFieldBuilder as InputBuilder,
  type InputFieldMap,
  type ObjectFieldBuilder as ObjectBuilder,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { z } from 'zod';
import type { Scope, ImageChoices, PageChoices } from '@burnish/contract';
import type { GraphqlContext } from './context.ts';

export interface BurnishSchema {
  Context: GraphqlContext;
  DefaultFieldNullability: false;
  Scalars: {
    /** A number with the arithmetic of JSON numbers */
    Decimal: { Input: number; Output: number };
    /** ISO 8601 in UTC with milliseconds and `Z` */
    DateTime: { Input: string; Output: string };
    /** Choices for single images of a PDF, in the form of REST */
    PdfImageChoices: { Input: ImageChoices; Output: ImageChoices };
    /** Pages of a PDF that stay as they are, in the form of REST */
    PdfPageChoices: { Input: PageChoices; Output: PageChoices };
    ID: { Input: string; Output: string };
  };
}

declare global {
  // The type parameters must match Pothos's declaration.
  namespace PothosSchemaTypes {
    interface BaseTypeOptions<Types extends SchemaTypes> {
      /** REST schema with the descriptions of the type and of its fields */
      restSchema?: z.ZodObject;
    }
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Required scope of the API key */
      scope: Scope;
    }
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Required scope of the API key */
      scope: Scope;
    }
  }
}

/** The builder of all types, fields and operations. A resolver with the wrong result type fails the build. */
export const builder = new SchemaBuilder<BurnishSchema>({ defaultFieldNullability: false });

export type OurTypes = PothosSchemaTypes.ExtendDefaultTypes<BurnishSchema>;

export type InputFieldBuilder = InputBuilder<OurTypes, 'InputObject'>;

export type ObjectFieldBuilder<Values> = ObjectBuilder<OurTypes, Values>;

export type ObjectRefOf<Values> = PothosSchemaTypes.ObjectRef<OurTypes, Values>;
