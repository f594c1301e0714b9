import { isEnumType, isInputObjectType, isObjectType, type GraphQLError, type GraphQLSchema } from 'graphql';
import { oneOf } from '@burnish/contract/schemas';
import { selectable } from './type-place.ts';

type Remedy = (schema: GraphQLSchema, ...named: string[]) => string;

/** `Use one of a, b or c.` */
const useOneOf = (names: readonly string[]): string =>
  names.length === 0 ? 'Remove it.' : `Use one of ${oneOf(names)}.`;

const fieldsOf: Remedy = (schema, name = '') => useOneOf(selectable(schema.getType(name)));

const valuesOf: Remedy = (schema, name = '') => {
  const type = schema.getType(name);
  return isEnumType(type)
    ? `Send ${oneOf(type.getValues().map((each) => each.name))}, without quotes in a document.`
    : 'Send one of its values.';
};

/** What to do about GraphQL's refusals of a document, by the messages of graphql-js 16. They name the fault and often the nearest name. */
const REMEDIES: readonly [message: RegExp, remedy: Remedy][] = [
  [/^Value "[^"]*" does not exist in "(\w+)" enum/, valuesOf],
  [/^Enum "(\w+)" cannot represent/, valuesOf],
  [/^Cannot query field "\w+" on type "(\w+)"/, fieldsOf],
  [
    /^Field "\w+" of type "(\[*)(\w+)[\]!]*" must have a selection/,
    (schema, _list, name = '') =>
      `Send it with fields in braces, such as { ${selectable(schema.getType(name))[0] ?? 'id'} }.`,
  ],
  [/^Field "\w+" must not have a selection/, () => 'Remove the braces after it.'],
  [
    /^Field "\w+" is not defined by type "(\w+)"/,
    (schema, name = '') => {
      const type = schema.getType(name);
      return useOneOf(isInputObjectType(type) ? Object.keys(type.getFields()) : []);
    },
  ],
  [
    /^Unknown argument "\w+" on field "(\w+)\.(\w+)"/,
    (schema, name = '', field = '') => {
      const type = schema.getType(name);
      return useOneOf(isObjectType(type) ? (type.getFields()[field]?.args.map((each) => each.name) ?? []) : []);
    },
  ],
  [
    /^Field "(\w+)" argument "(\w+)" of type "(.+?)" is required/,
    (_schema, field, name, type) => `Send ${field}(${name}: …) with a value of type ${type}.`,
  ],
  [
    /^Field "([\w.]+)" of required type "(.+?)" was not provided/,
    (_schema, field, type) => `Send ${field} with a value of type ${type}.`,
  ],
  [/^Argument "(\w+)" of (?:non-null|required) type/, (_schema, name) => `Send a value for ${name}.`],
  [
    /^Variable "\$(\w+)" is not defined/,
    (_schema, name) => `Declare it after the name of the operation, such as ($${name}: String).`,
  ],
  [/^Variable "\$(\w+)" is never used/, (_schema, name) => `Use $${name} in the operation, or remove it.`],
  [
    /^Variable "\$(\w+)" of type ".+?" used in position expecting type "(.+?)"/,
    (_schema, name, type) => `Declare it as $${name}: ${type}.`,
  ],
  [/^Unknown type "\w+"/, () => 'Use a type of /graphiql.'],
  [/^Unknown fragment|^Fragment |^Unused fragment/, () => 'Use each fragment at its own type, and remove others.'],
  [
    /^Unknown operation named|^Must provide operation name/,
    () => 'Send the name of one operation of the document as operationName.',
  ],
  [/^Must provide an operation/, () => 'Send a document with a query or a mutation.'],
  [/^There can be only one/, () => 'Remove one of them.'],
  [/^Int cannot represent/, () => 'Send a whole number up to 2147483647, without quotes.'],
  [/^Float cannot represent/, () => 'Send a number, without quotes.'],
  [/^Boolean cannot represent/, () => 'Send true or false, without quotes.'],
  [/^(?:String|ID) cannot represent/, () => 'Send text in double quotes.'],
  [/^Expected value of type "(\w+)/, (_schema, type) => `Send a value of type ${type}.`],
];

/** The remedy for GraphQL's refusal of a document; undefined where it has none of its own. */
export function documentRemedy(schema: GraphQLSchema, { message, locations }: GraphQLError): string | undefined {
  if (message.startsWith('Syntax Error')) {
    const [at] = locations ?? [];
    return at && `Correct the document at line ${at.line}, column ${at.column}.`;
  }
  for (const [pattern, remedy] of REMEDIES) {
    const match = pattern.exec(message);
    if (match !== null) return remedy(schema, ...match.slice(1));
  }
  return undefined;
}
