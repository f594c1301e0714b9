import { GraphQLError, parse, type DocumentNode, type GraphQLSchema, Kind, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { measure, type Measure } from './measure.ts';

/** Far more than a client that requests everything needs, and little for the server. */
export const DOCUMENT_LIMITS: Measure & { tokens: number } = {
  tokens: 1500,
  depth: 10,
  fields: 500,
  aliases: 30,
  directives: 20,
  cost: 20_000,
};

const WORDS: Record<keyof Measure, string> = {
  depth: 'fields inside fields',
  fields: 'fields',
  aliases: 'aliases',
  directives: 'directives',
  cost: 'fields that the response could contain',
};

/** Refuses too large documents before validation and execution. */
export function documentLimits(): Plugin {
  /** Results by document. Documents come from a cache, so most were measured before. */
  const known = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source, options) =>
        floatsAsDecimals(parse(source, { ...options, maxTokens: DOCUMENT_LIMITS.tokens })),
      ),
    onValidate({ params: { schema, documentAST }, setResult }) {
      const document = documentAST as DocumentNode;
      let refusals = known.get(document);
      if (refusals === undefined) {
        refusals = findRefusals(schema as GraphQLSchema, document);
        known.set(document, refusals);
      }
      if (refusals.length > 0) setResult([...refusals]);
    },
  };
}

function findRefusals(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const measured = measure(schema, document);
  return (Object.keys(WORDS) as (keyof Measure)[])
    .filter((name) => measured[name] > DOCUMENT_LIMITS[name])
    .map(
      (name) =>
        new GraphQLError(
          `The document has too many ${WORDS[name]}: ${measured[name]}. The limit is ${DOCUMENT_LIMITS[name]}.`,
        ),
    );
}

/**
 * Treats variables declared as `Float` as `Decimal`, which code generators without custom scalars do not know. No
 * argument of the schema is a `Float`, so this is unambiguous.
 */
function floatsAsDecimals(document: DocumentNode): DocumentNode {
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
