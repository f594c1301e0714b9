import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import { proveDecoder, proveStores } from './activities.ts';

/**
 * Proves that work moves through Temporal, the database, storage and a decoder. It belongs to no caller and has no record.
 * @returns a sentence for each part that does not work
 */
export async function progress(): Promise<string[]> {
  return [
    ...(await problemsOf(proveStores, 'No workflow worker has checked the database and storage in time.')),
    ...(await problemsOf(proveDecoder, 'No workflow worker has decoded an image in time.')),
  ];
}

/** An activity returns what it finds. It fails only where nobody takes it, or finishes it, in time. */
async function problemsOf(prove: () => Promise<string[]>, late: string): Promise<string[]> {
  try {
    return await prove();
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return [late];
  }
}
