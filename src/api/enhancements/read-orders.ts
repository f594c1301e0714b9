import { Failure, nameFieldAsync, type EnhancementParameters, type StoredFile, type Upload } from '@burnish/contract';
import { assertAnalyzed } from '../../domain/enhancement/order-rules.ts';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import { requireById } from '../commands/checks.ts';
import type { Caller, EnhancementOrder } from '../commands/command-types.ts';
import { assertEnhancementAllowed } from '../uploads/check-order.ts';
import { applySaved } from './apply-saved.ts';
import { assertTextReadable, type FindTextProgram } from './check-enhancement-order.ts';

export interface ReadOrdersDeps {
  uploads: Uploads;
  looks: Looks;
  presets: Presets;
  textProgram: FindTextProgram;
}

/** An upload whose file can be enhanced. */
export type ReadyUpload = Upload & { file: StoredFile; objectKey: string };

/**
 * Reads an upload, and the parameters of orders for it with their presets, as an order itself would.
 * @throws Failure NOT_FOUND; PDF_NOT_ANALYZED and others of an upload without a file; with a field such as `enhancements[2].mode`
 */
export async function readOrders(
  deps: ReadOrdersDeps,
  caller: Caller,
  uploadId: string,
  orders: readonly Pick<EnhancementOrder, 'parameters' | 'preset'>[],
): Promise<{ upload: ReadyUpload; given: EnhancementParameters[] }> {
  const upload = await requireById('upl', uploadId, (each) => deps.uploads.get(caller.account.id, each));
  const given: EnhancementParameters[] = [];
  for (const [index, order] of orders.entries()) {
    await nameFieldAsync(`enhancements[${index}].`, async () => {
      const { parameters } = await applySaved(deps, caller, order);
      assertEnhancementAllowed(caller, upload, parameters);
      await assertTextReadable(deps, parameters);
      given.push(parameters);
    });
  }
  assertReady(upload);
  return { upload, given };
}

/** @throws Failure for an upload without a file, and PDF_NOT_ANALYZED */
function assertReady(upload: Upload): asserts upload is ReadyUpload {
  if (upload.file === null || upload.objectKey === null) throw withoutFile(upload);
  assertAnalyzed(upload);
}

function withoutFile({ status, errorCode, errorDetail }: Upload): Failure {
  if (status === 'UPLOAD_DELETED')
    return new Failure('NOT_FOUND', { detail: 'The upload has been deleted. Send the file again.' });
  if (status === 'UPLOAD_FAILED') {
    return new Failure(errorCode ?? 'INTERNAL', { detail: `The upload failed: ${errorDetail}` });
  }
  const detail = `The upload is ${status} and has no file yet. Repeat the request when it is UPLOAD_FINISHED.`;
  return new Failure('BAD_USER_INPUT', { detail });
}
