import { Kind, visit } from 'graphql';
import type { DocumentNode } from 'graphql';

/**
 * Takes variables that a client declares as `Float` for `Decimal`, which code generators without custom scalars do not know.
 * No argument of the schema is a `Float`, so nothing else is meant by it.
 */
export function floatsAsDecimals(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.VARIABLE_DEFINITION]: (definition) =>
      visit(definition, {
        [Kind.NAMED_TYPE]: (type) =>
          type.name.value === 'Float' ? { ...type, name: { ...type.name, value: 'Decimal' } } : undefined,
      }),
    // Only definitions of variables name types that matter here.
    [Kind.SELECTION_SET]: () => false,
  });
}
