import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { counted, MAX_FILE_SIZE_BYTES, Failure } from '@burnish/contract';
import { printable } from '@burnish/contract/schemas';
import { fileTooLarge } from '../../../domain/upload/check-file-size.ts';

/** Maximum size of the fields and the multipart frame around the file, in bytes. */
export const FRAME_BYTES = 1_000_000;
const FIELD_BYTES = 64_000;

export interface MultipartForm<File> {
  fields: Record<string, string>;
  /** The result of `receive`, and the file's name in the form */
  file: { received: File; filename: string | null };
}

/**
 * Reads a form with one file, which it streams to `receive`; fields may precede or follow the file.
 * @param receive reads the file to its end
 * @param discard undoes it if the rest of the form is invalid
 * @throws Failure BAD_USER_INPUT; errors of `receive`
 */
export async function readMultipart<File>(
  req: Request<object>,
  receive: (body: Readable) => Promise<File>,
  discard: (file: File) => Promise<void>,
): Promise<MultipartForm<File>> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_FILE_SIZE_BYTES + FRAME_BYTES)
    throw fileTooLarge(MAX_FILE_SIZE_BYTES);
  const fields: Record<string, string> = {};
  let file: { received: Promise<File>; filename: string | null } | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const parser = openParser(req);
      const fail = (problem: unknown): void => {
        req.unpipe(parser);
        // Also ends the stream of the file, so that its reader stops.
        parser.destroy();
        reject(
          problem instanceof Failure
            ? problem
            : invalid(
                'The form cannot be read, or ends too early. Send a complete form, as curl -F file=@photo.jpg does.',
                undefined,
                problem,
              ),
        );
      };
      parser.on('file', (name, body, { filename }) => {
        // The file's stream also reports errors of the parser, so its reader handles them.
        body.on('error', () => undefined);
        if (name !== 'file' || file !== undefined) {
          body.resume();
          fail(invalid(wrongFile(name), name.slice(0, MAX_NAMED)));
          return;
        }
        const received = receive(body);
        received.catch(fail);
        // A part without a file name has none.
        file = { received, filename: filename ?? null };
      });
      parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
        if (nameTruncated || valueTruncated)
          fail(
            invalid(
              `A field of the form has more than ${counted(FIELD_BYTES, 'byte')}. Send a file in the field file.`,
              name.slice(0, MAX_NAMED),
            ),
          );
        else if (Object.hasOwn(fields, name))
          fail(
            invalid(
              `The form has the field ${printable(name.slice(0, MAX_NAMED))} twice. Send it once.`,
              name.slice(0, MAX_NAMED),
            ),
          );
        else Object.defineProperty(fields, name, { value, enumerable: true });
      });
      for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
        parser.on(event, () => fail(invalid('The form has too many parts. Send one file and at most 20 fields.')));
      }
      parser.on('error', fail);
      parser.on('close', resolve);
      req.once('error', (error) => parser.destroy(error));
      req.once('aborted', () => parser.destroy(new Error('aborted')));
      req.pipe(parser);
    });
    if (file === undefined) throw invalid(noFile(fields), 'file');
    return { fields, file: { received: await file.received, filename: file.filename } };
  } catch (error) {
    const left = await file?.received.catch(() => undefined);
    if (left !== undefined) await discard(left);
    throw error;
  }
}

function openParser(req: Request<object>): busboy.Busboy {
  try {
    return busboy({
      headers: req.headers,
      defParamCharset: 'utf8',
      limits: { files: 2, fields: 20, parts: 22, fieldNameSize: 100, fieldSize: FIELD_BYTES, headerPairs: 20 },
    });
  } catch (cause) {
    throw invalid(
      'The Content-Type of the form has no boundary. Remove the header, which curl -F and FormData set themselves.',
      undefined,
      cause,
    );
  }
}

/** Longest name of a field that an error repeats, in characters. */
const MAX_NAMED = 100;

const wrongFile = (name: string): string =>
  name === 'file'
    ? 'The form has two files. Send each file in a request of its own.'
    : `The field ${printable(JSON.stringify(name.slice(0, MAX_NAMED)))} has a file, but the field is called file. Send -F file=@photo.jpg.`;

const noFile = (fields: Record<string, string>): string =>
  Object.hasOwn(fields, 'file')
    ? 'The field file is text. Send the file itself with @, such as -F file=@photo.jpg.'
    : 'The form has no file. Send it in the field file, such as -F file=@photo.jpg.';

function invalid(detail: string, field?: string, cause?: unknown): Failure {
  return new Failure('BAD_USER_INPUT', { detail, ...(field === undefined ? {} : { field }), cause });
}
