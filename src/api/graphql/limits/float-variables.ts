import { Kind, visit, type DocumentNode } from 'graphql';

/**
 * Treats variables declared as `Float` as `Decimal`, which code generators without custom scalars do not know. No
 * argument of the schema is a `Float`, so this is unambiguous.
 */
export function floatsAsDecimals(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.VARIABLE_DEFINITION]: (definition) =>
      visit(definition, {
        [Kind.NAMED_TYPE]: (type) =>
          type.name.value === 'Float' ? { ...type, name: { ...type.name, value: 'Decimal' } } : undefined,
      }),
    // Only variable definitions contain relevant types.
    [Kind.SELECTION_SET]: () => false,
  });
}
