import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { MAX_PAGE_SIZE } from '../../../database/page.ts';
import { DEFAULT_PAGE_SIZE } from '../connection.ts';

export interface Measure {
  /** Nesting depth of fields in the deepest operation */
  depth: number;
  /** Number of fields in the text; validation rules that compare pairs of fields take quadratic time */
  fields: number;
  aliases: number;
  directives: number;
  /** Maximum number of fields in a response, of the most expensive operation; a change counts as `MUTATION_COST` */
  cost: number;
}

/** Assumed number of items in a list without pages. */
const LIST_SIZE = 10;
/** Cost of a change, in fields. */
const MUTATION_COST = 1000;
/** Cost of an introspection in fields of records, which take equal time; graphql-js limits its depth. */
const INTROSPECTION_COST = 4000;

type Extent = Pick<Measure, 'depth' | 'cost'>;
const NOTHING: Extent = { depth: 0, cost: 0 };

export function measure(schema: GraphQLSchema, document: DocumentNode): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  /**
   * Each fragment is measured once, so that nested fragments do not multiply the work; a recursive one counts as
   * nothing.
   */
  const known = new Map<string, Extent>();

  function ofSet({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Extent {
    const extents = selections.map((each) => ofSelection(each, type));
    const depth = extents.reduce((deepest, each) => Math.max(deepest, each.depth), 0);
    return { depth, cost: extents.reduce((sum, { cost }) => sum + cost, 0) };
  }

  function ofSelection(node: SelectionNode, type: GraphQLNamedType | undefined): Extent {
    if (node.kind === Kind.FIELD) return ofField(node, type);
    if (node.kind === Kind.INLINE_FRAGMENT) return ofSet(node.selectionSet, type);
    const name = node.name.value;
    const fragment = fragments.get(name);
    if (fragment === undefined) return NOTHING;
    let extent = known.get(name);
    if (extent === undefined) {
      known.set(name, NOTHING);
      extent = ofSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
      known.set(name, extent);
    }
    return extent;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType | undefined): Extent {
    const name = node.name.value;
    if (name.startsWith('__')) return { depth: 1, cost: name === '__typename' ? 1 : INTROSPECTION_COST };
    const field = isObjectType(parent) ? parent.getFields()[name] : undefined;
    const below = node.selectionSet ? ofSet(node.selectionSet, field && getNamedType(field.type)) : NOTHING;
    const own = parent !== undefined && parent === schema.getMutationType() ? MUTATION_COST : 1;
    if (field === undefined) return { depth: below.depth + 1, cost: below.cost + own };
    const paged = field.args.some((argument) => argument.name === 'first');
    const isPlainList = isListType(getNullableType(field.type)) && parent?.name.endsWith('Connection') === false;
    const items = paged ? pageSize(node) : isPlainList ? LIST_SIZE : 1;
    return { depth: below.depth + 1, cost: own + items * below.cost };
  }

  const operations = document.definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION
      ? [ofSet(each.selectionSet, schema.getRootType(each.operation) ?? undefined)]
      : [],
  );
  return {
    depth: Math.max(0, ...operations.map(({ depth }) => depth)),
    cost: Math.max(0, ...operations.map(({ cost }) => cost)),
    ...countMarks(document),
  };
}

function countMarks(document: DocumentNode): Pick<Measure, 'fields' | 'aliases' | 'directives'> {
  let [fields, aliases, directives] = [0, 0, 0];
  visit(document, {
    Field: ({ alias }) => {
      fields += 1;
      if (alias !== undefined) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
  });
  return { fields, aliases, directives };
}

/** The page size of a field; the maximum for a variable. */
function pageSize({ arguments: given = [] }: FieldNode): number {
  const first = given.find(({ name }) => name.value === 'first');
  if (first === undefined) return DEFAULT_PAGE_SIZE;
  if (first.value.kind !== Kind.INT) return MAX_PAGE_SIZE;
  // A page size below one is refused later. Here it must not lower the cost of the document.
  return Math.max(1, Math.min(Number(first.value.value), MAX_PAGE_SIZE));
}
