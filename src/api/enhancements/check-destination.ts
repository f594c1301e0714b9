import { newDestination, type DestinationOrder } from '../../domain/enhancement/destination.ts';
import { Failure } from '../../domain/failures.ts';
import { nameField } from '../commands/checks.ts';
import type { Caller, CommandDeps } from '../commands/command-types.ts';

/**
 * Refuses a destination before any write.
 * @param reference of the enhancement, or else of its upload
 * @throws Failure with field `destination`
 */
export async function assertDestinationAllowed(
  deps: Pick<CommandDeps, 'assertAllowedUrl' | 'buckets'>,
  { account }: Pick<Caller, 'account'>,
  order: DestinationOrder | undefined,
  reference: string | null,
): Promise<void> {
  if (order === undefined) return;
  if ('url' in order) nameField('destination.url', () => deps.assertAllowedUrl(order.url));
  else {
    await assertBucketKnown(deps, account.id, order.bucket, 'destination.bucket');
    newDestination(order, { uploadId: 'upload', enhancementId: 'enhancement', reference });
  }
}

/** @throws Failure BAD_USER_INPUT for a name that the operator has not registered for the account */
export async function assertBucketKnown(
  { buckets }: Pick<CommandDeps, 'buckets'>,
  accountId: string,
  name: string,
  field: string,
): Promise<void> {
  if (await buckets.has(accountId, name)) return;
  const detail = `The account has no bucket ${name}. Ask the operator to register it, or use another name.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}
