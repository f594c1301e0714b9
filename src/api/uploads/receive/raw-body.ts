import { parse as parseDisposition } from 'content-disposition';
import type { Request } from 'express';
import { Failure } from '../../../domain/failures.ts';
import { mediaTypeNamed } from '../../../domain/upload/media.ts';
import type { MediaType } from '../../../domain/upload/media.ts';
import { headerOf } from '../../http/request-context.ts';
import { MAX_PASSWORD_LENGTH, pdfPassword } from '../upload-order-schemas.ts';

/**
 * The media type that a raw body was declared as; undefined for bytes of no declared type.
 * @throws Failure UNSUPPORTED_MEDIA_TYPE for a type that no supported file has
 */
export function declaredType(contentType: string): MediaType | undefined {
  if (contentType === 'application/octet-stream') return undefined;
  const type = mediaTypeNamed(contentType);
  if (type !== undefined) return type;
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', {
    detail:
      'Expected application/json, multipart/form-data, or the file itself as an image, a PDF or application/octet-stream.',
  });
}

/** Bytes, where the client said so. */
export function declaredSize(req: Request<object>): number | undefined {
  const length = headerOf(req, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/** Carries the password of a PDF that is the body itself: addresses appear in logs. */
export const PASSWORD_HEADER = 'X-Pdf-Password';

/** The password of a PDF, percent-encoded UTF-8 in its header. @throws Failure BAD_USER_INPUT */
export function passwordHeader(req: Request<object>): string | undefined {
  const header = headerOf(req, PASSWORD_HEADER.toLowerCase());
  if (header === undefined) return undefined;
  try {
    return pdfPassword.parse(decodeURIComponent(header));
  } catch {
    // The cause would hold the password.
    const detail = `Expected percent-encoded text of 1 to ${MAX_PASSWORD_LENGTH} characters in the header ${PASSWORD_HEADER}.`;
    throw new Failure('BAD_USER_INPUT', { field: PASSWORD_HEADER, detail });
  }
}

/** The file name of a `Content-Disposition` header, or null. @throws Failure BAD_USER_INPUT */
export function dispositionFilename(req: Request<object>): string | null {
  const header = headerOf(req, 'content-disposition');
  if (header === undefined) return null;
  try {
    return parseDisposition(header).parameters['filename'] ?? null;
  } catch (cause) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'Content-Disposition',
      detail: 'The header Content-Disposition cannot be read.',
      cause,
    });
  }
}
