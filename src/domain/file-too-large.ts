import { counted } from './counted.ts';
import { Failure } from './failures.ts';

/** The failure of a file that has more than `maxBytes` bytes, wherever that is found out. */
export function fileTooLarge(maxBytes: number): Failure {
  return new Failure('FILE_TOO_LARGE', {
    detail: `The file is larger than the maximum size of ${counted(maxBytes, 'byte')}.`,
  });
}
