import { Failure } from '../../domain/failures.ts';
import type { Upload } from '../../domain/upload/upload.ts';

/** Why an upload whose workflow has ended takes no command. */
export function endedUpload(upload: Upload): Failure {
  return upload.status === 'UPLOAD_DELETED'
    ? new Failure('NOT_FOUND', { detail: 'The upload has been deleted.' })
    : new Failure('BAD_USER_INPUT', { detail: `The upload is ${upload.status} and takes no commands any more.` });
}
