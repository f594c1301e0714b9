import { type MediaType, mediaTypeNamed, Failure } from '@burnish/contract';

/** The type that curl sends with `--data-binary` and `-d`, and browsers with a form without files. */
const FORM = 'application/x-www-form-urlencoded';
/** Types that do not declare the content of a body. */
const UNDECLARED: readonly string[] = ['', 'application/octet-stream', FORM];

const unsupported = (detail: string): Failure => new Failure('UNSUPPORTED_MEDIA_TYPE', { detail });

/**
 * The declared media type of a file that is the body of a request; undefined if the content decides.
 * @param contentType in lower case, without parameters
 * @throws Failure UNSUPPORTED_MEDIA_TYPE for a type of no supported file
 */
export function mediaTypeOfBody(contentType: string): MediaType | undefined {
  if (UNDECLARED.includes(contentType)) return undefined;
  const type = mediaTypeNamed(contentType);
  if (type !== undefined) return type;
  throw unsupported(
    'The Content-Type is not supported. Send application/json, multipart/form-data, or the file itself as an image, a PDF or application/octet-stream.',
  );
}

/**
 * Refuses a body that cannot be a file, with the remedy of the mistake that its first bytes show.
 * @param head the whole body, or as much of it as the detection of a type needs
 * @throws Failure UNSUPPORTED_MEDIA_TYPE
 */
export function assertFileBytes(head: Buffer, contentType: string): void {
  if (head.length === 0) throw unsupported('The body is empty. Send the bytes of a file.');
  if (/^\s*\{\s*"/.test(head.toString('latin1')))
    throw unsupported('The body is JSON. Send it with the header Content-Type: application/json.');
  // Each supported type has one of these bytes at its start, and `curl -d @photo.jpg` removes all of them.
  if (contentType === FORM && !/[\0\r\n]/.test(head.toString('latin1')))
    throw unsupported(
      'The body is a form without a file, or a file from which curl -d removed bytes. Send a form by curl -F file=@photo.jpg, or the bytes by curl --data-binary @photo.jpg.',
    );
}
