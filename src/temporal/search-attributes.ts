import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTE_NAMES } from '../domain/temporal/workflow-interface.ts';

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } = proto.temporal.api.enums.v1.IndexedValueType;
const INDEXED_TYPES = { KEYWORD: INDEXED_VALUE_TYPE_KEYWORD, KEYWORD_LIST: INDEXED_VALUE_TYPE_KEYWORD_LIST };
const TYPE_NAMES = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' };

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** @returns the Temporal CLI's form, such as `BurnishStatus=Keyword` */
export const describeSearchAttribute = (name: Name): string => `${name}=${TYPE_NAMES[SEARCH_ATTRIBUTES[name]]}`;

/** The attributes with their types, for the operator service. */
export function indexedTypes(names: readonly Name[] = SEARCH_ATTRIBUTE_NAMES): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, INDEXED_TYPES[SEARCH_ATTRIBUTES[name]]]));
}

/** gRPC status codes, https://grpc.io/docs/guides/status-codes/ */
const ALREADY_EXISTS = 6;

/**
 * Registers the search attributes that a namespace lacks; does nothing if all exist. A missing permission is no error
 * here (Temporal Cloud has its own tool). A start with a missing attribute would fail, so the warning describes the
 * manual step.
 *
 * @param warn receives a sentence about the necessary manual step
 * @returns the names that were added
 */
export async function registerSearchAttributes(
  connection: Pick<ConnectionLike, 'operatorService' | 'withDeadline'>,
  namespace: string,
  warn: (sentence: string) => void,
): Promise<string[]> {
  const { operatorService } = connection;
  const withDeadline = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + 10_000, call);
  let missing: Name[] = [...SEARCH_ATTRIBUTE_NAMES];
  try {
    const { customAttributes } = await withDeadline(() => operatorService.listSearchAttributes({ namespace }));
    const types = indexedTypes();
    const wrong = missing.filter((name) => (customAttributes[name] ?? types[name]) !== types[name]);
    if (wrong.length > 0)
      warn(
        `These search attributes of namespace "${namespace}" have another type: ${wrong.map(describeSearchAttribute).join(', ')} is needed.`,
      );
    missing = missing.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return [];
    await withDeadline(() =>
      operatorService.addSearchAttributes({ namespace, searchAttributes: indexedTypes(missing) }),
    );
    return missing;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if ((error.code as number) === ALREADY_EXISTS) return [];
    warn(
      `Search attributes could not be registered in namespace "${namespace}" (${error.details || error.message}): ` +
        `if they are missing, add ${missing.map(describeSearchAttribute).join(', ')} by hand.`,
    );
    return [];
  }
}
