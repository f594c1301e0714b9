import { createHash } from 'node:crypto';
import { Kind, print, visit, type GraphQLResolveInfo } from 'graphql';
import { claimIdempotencyKey, fingerprint } from '../commands/idempotency.ts';
import type { UploadIdempotencyKey, IdempotencyKey } from '../commands/command-types.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import { readIdempotencyKey } from '../http/request-context.ts';

export interface IdempotencyKeySource {
  idempotencyKeys: Pick<IdempotencyKeys, 'claim'>;
  accountId: string;
  /** The `Idempotency-Key` header */
  header: string | undefined;
}

/**
 * The idempotency key of each change in a document. With a single change, the command claims the key of the header.
 * With several, the document claims the header's key, and each change has a key derived from its path.
 */
export function createIdempotencyKeyResolver({
  idempotencyKeys,
  accountId,
  header,
}: IdempotencyKeySource): (info: GraphQLResolveInfo) => Promise<IdempotencyKey> {
  let documentClaim: Promise<unknown> | undefined;
  return async (info) => {
    const key = readIdempotencyKey(header);
    if (key === null) return null;
    if (isOnlyChange(info)) return key;
    documentClaim ??= claimIdempotencyKey(idempotencyKeys, {
      accountId,
      idempotencyKey: key,
      operation: 'graphql',
      fingerprint: fingerprint({ texts: printDocument(info), variables: info.variableValues }),
      subjectId: 'graphql',
    });
    await documentClaim;
    return derivedKey(key, String(info.path.key));
  };
}

/** The same for changes that create an upload. Without a key from the caller, it contains a generated one. */
export function createUploadIdempotencyKeyResolver(
  { key, made }: UploadIdempotencyKey,
  idempotencyKeyFor: (info: GraphQLResolveInfo) => Promise<IdempotencyKey>,
): (info: GraphQLResolveInfo) => Promise<UploadIdempotencyKey> {
  return async (info) => {
    const own = await idempotencyKeyFor(info);
    if (own !== null) return { key: own, made };
    return { key: isOnlyChange(info) ? key : derivedKey(key, String(info.path.key)), made };
  };
}

function isOnlyChange({ operation }: GraphQLResolveInfo): boolean {
  const { selections } = operation.selectionSet;
  return selections.length === 1 && selections[0]!.kind === Kind.FIELD;
}

const isPassword = ({ name }: { name: { value: string } }): null | undefined =>
  name.value === 'password' ? null : undefined;
/** Digests exclude passwords; see `fingerprint`. */
const WITHOUT_PASSWORDS = { Argument: isPassword, ObjectField: isPassword };

function printDocument({ operation, fragments }: GraphQLResolveInfo): string[] {
  return [operation, ...Object.values(fragments)].map((node) => print(visit(node, WITHOUT_PASSWORDS)));
}

/** The space keeps it distinct from every key that a caller can send. */
function derivedKey(key: string, path: string): string {
  return `graphql ${createHash('sha256')
    .update(JSON.stringify([key, path]))
    .digest('hex')}`;
}
