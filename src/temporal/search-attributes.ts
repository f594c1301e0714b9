import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTE_NAMES } from '../domain/search-attributes.ts';

const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** gRPC status codes, https://grpc.io/docs/guides/status-codes/ */
const ALREADY_EXISTS = 6;

/**
 * Registers the search attributes that a namespace lacks; does nothing where all are there. A server that does not let us (Temporal
 * Cloud has its own tool for it) is no error here, but a start with an attribute that is missing would be one, so the warning
 * says what to do.
 *
 * @param warn is told what a person has to do by hand
 * @returns the names that were added
 */
export async function registerSearchAttributes(
  connection: Pick<ConnectionLike, 'operatorService' | 'withDeadline'>,
  namespace: string,
  warn: (sentence: string) => void,
): Promise<string[]> {
  const { operatorService } = connection;
  const withDeadline = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + 10_000, call);
  let missing: string[] = [...SEARCH_ATTRIBUTE_NAMES];
  try {
    const { customAttributes } = await withDeadline(() => operatorService.listSearchAttributes({ namespace }));
    const wrong = missing.filter((name) => (customAttributes[name] ?? KEYWORD) !== KEYWORD);
    if (wrong.length > 0)
      warn(`These search attributes of namespace "${namespace}" must be of type Keyword: ${wrong.join(', ')}.`);
    missing = missing.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return [];
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await withDeadline(() => operatorService.addSearchAttributes({ namespace, searchAttributes }));
    return missing;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if ((error.code as number) === ALREADY_EXISTS) return [];
    warn(
      `Search attributes could not be registered in namespace "${namespace}" (${error.details || error.message}): ` +
        `if they are missing, add ${missing.join(', ')} of type Keyword by hand.`,
    );
    return [];
  }
}
