import { Failure } from '@burnish/contract';
import { isOriginal } from '../../domain/files/object-keys.ts';
import { ObjectDamaged } from '../../storage/integrity.ts';

/**
 * Runs a read of an original or a result.
 * @throws Failure ORIGINAL_DAMAGED, RESULT_DAMAGED when storage has damaged it
 */
export async function readIntact<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error;
    throw new Failure(isOriginal(error.key) ? 'ORIGINAL_DAMAGED' : 'RESULT_DAMAGED', { cause: error });
  }
}
