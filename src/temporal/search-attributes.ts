import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { StartupError } from '../domain/startup-error.ts';
import { SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTE_NAMES } from '../domain/temporal/search-attributes.ts';
import { hasStatus } from './grpc-status.ts';

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

/**
 * Registers the search attributes that a namespace lacks; does nothing if all exist. Without them, no workflow can start.
 *
 * @param warn receives a sentence if Temporal does not say which attributes exist
 * @returns the names that were added
 * @throws StartupError with the command that adds them, if Temporal refuses (Temporal Cloud has its own tool)
 */
export async function registerSearchAttributes(
  connection: Pick<ConnectionLike, 'operatorService' | 'withDeadline'>,
  namespace: string,
  warn: (sentence: string) => void,
): Promise<string[]> {
  const { operatorService } = connection;
  const withDeadline = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + 10_000, call);
  let known: Record<string, number>;
  try {
    known = (await withDeadline(() => operatorService.listSearchAttributes({ namespace }))).customAttributes;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    const command = creationCommand(namespace, SEARCH_ATTRIBUTE_NAMES);
    warn(
      `The search attributes of namespace "${namespace}" cannot be listed (${reason(error)}): if they are missing, run ${command}`,
    );
    return [];
  }
  const types = indexedTypes();
  const wrong = SEARCH_ATTRIBUTE_NAMES.filter((name) => (known[name] ?? types[name]) !== types[name]);
  if (wrong.length > 0)
    throw new StartupError(
      `These search attributes of namespace "${namespace}" have another type: ${wrong.map(describeSearchAttribute).join(', ')} is needed. Remove them, or use another namespace.`,
    );
  const missing = SEARCH_ATTRIBUTE_NAMES.filter((name) => !Object.hasOwn(known, name));
  if (missing.length === 0) return [];
  try {
    await withDeadline(() =>
      operatorService.addSearchAttributes({ namespace, searchAttributes: indexedTypes(missing) }),
    );
    return missing;
  } catch (error) {
    // Another process of the instance may start at the same moment.
    if (hasStatus(error, 'ALREADY_EXISTS')) return [];
    if (!isGrpcServiceError(error)) throw error;
    throw new StartupError(
      `Search attributes are missing in namespace "${namespace}" and cannot be added (${reason(error)}). Run ${creationCommand(namespace, missing)}`,
      { cause: error },
    );
  }
}

const reason = ({ details, message }: { details: string; message: string }): string =>
  (details || message).replace(/\.$/, '');

/** The command of Temporal's CLI that adds search attributes. In Temporal Cloud, `tcld` and the console do. */
function creationCommand(namespace: string, names: readonly Name[]): string {
  const each = names.map((name) => `--name ${name} --type ${TYPE_NAMES[SEARCH_ATTRIBUTES[name]]}`);
  return `temporal operator search-attribute create --namespace ${namespace} ${each.join(' ')}`;
}
