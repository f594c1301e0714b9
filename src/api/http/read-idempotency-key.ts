import { Failure } from '../../domain/failures.ts';
import type { IdempotencyKey } from '../commands/command-types.ts';
import { idempotencyKey } from '../uploads/upload-requests.ts';

/**
 * @param header the `Idempotency-Key` header; absent: the change is made each time that it comes
 * @throws Failure BAD_USER_INPUT that names the header
 */
export function readIdempotencyKey(header: string | undefined): IdempotencyKey {
  if (header === undefined) return null;
  const { success, data } = idempotencyKey.safeParse(header);
  if (success) return data;
  const detail = 'Expected an Idempotency-Key of 1 to 255 visible ASCII characters.';
  throw new Failure('BAD_USER_INPUT', { field: 'Idempotency-Key', detail });
}
