import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { counted, MAX_FILE_SIZE_BYTES, Failure } from '@burnish/contract';
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
        reject(problem instanceof Failure ? problem : invalid('The form cannot be read.', undefined, problem));
      };
      parser.on('file', (name, body, { filename }) => {
        // The file's stream also reports errors of the parser, so its reader handles them.
        body.on('error', () => undefined);
        if (name !== 'file' || file !== undefined) {
          body.resume();
          fail(invalid(name === 'file' ? 'Expected one file but received another.' : 'Unknown file field.', name));
          return;
        }
        const received = receive(body);
        received.catch(fail);
        // A part without a file name has none.
        file = { received, filename: filename ?? null };
      });
      parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
        if (nameTruncated || valueTruncated)
          fail(invalid(`Fields of the form may have at most ${counted(FIELD_BYTES, 'byte')}.`, name.slice(0, 100)));
        else if (Object.hasOwn(fields, name)) fail(invalid('The form contains the field twice.', name.slice(0, 100)));
        else Object.defineProperty(fields, name, { value, enumerable: true });
      });
      for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
        parser.on(event, () => fail(invalid('The form has too many parts.')));
      }
      parser.on('error', fail);
      parser.on('close', resolve);
      req.once('error', (error) => parser.destroy(error));
      req.once('aborted', () => parser.destroy(new Error('aborted')));
      req.pipe(parser);
    });
    if (file === undefined) throw invalid('The form has no file.', 'file');
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
    throw invalid('The Content-Type of the form is not valid.', undefined, cause);
  }
}

function invalid(detail: string, field?: string, cause?: unknown): Failure {
  return new Failure('BAD_USER_INPUT', { detail, ...(field === undefined ? {} : { field }), cause });
}
