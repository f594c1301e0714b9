import type { Request } from 'express';
import { z } from 'zod';
import { parse as parseDisposition } from 'content-disposition';
import { Failure, nameField } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import type {
  Caller,
  UploadIdempotencyKey,
  ReceivedFile,
  UploadWithEnhancements,
} from '../../commands/command-types.ts';
import {
  createUploadBody,
  toUploadOrder,
  uploadOrderFields,
  uploadOrderTexts,
  MAX_PASSWORD_LENGTH,
  pdfPassword,
} from '../upload-order-schemas.ts';
import { FRAME_BYTES, readMultipart } from './multipart.ts';
import { assertFileBytes, mediaTypeOfBody } from './raw-body-type.ts';
import { type IncomingFile, receiveUpload } from './stage-file.ts';
import { readHeader } from '../../http/request-context.ts';
import type { UploadNeeds } from '../upload-commands.ts';

const noQuery = z.strictObject({});

/** Creates an upload from the body of a request: JSON with a URL, a form with a file, or the file itself. */
export async function readUpload(
  deps: UploadNeeds,
  caller: Caller,
  req: Request<object>,
  idempotencyKey: UploadIdempotencyKey,
): Promise<UploadWithEnhancements> {
  const contentType = (req.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (contentType === 'application/json') return await fromUrl(deps, caller, req, idempotencyKey);
  return contentType === 'multipart/form-data'
    ? await fromForm(deps, caller, req, idempotencyKey)
    : await fromRawBody(deps, caller, req, idempotencyKey, contentType);
}

async function fromUrl(
  { commands }: UploadNeeds,
  caller: Caller,
  req: Request<object>,
  idempotencyKey: UploadIdempotencyKey,
): Promise<UploadWithEnhancements> {
  checked(noQuery, req.query, 'The query');
  const { source, ...order } = checked(createUploadBody, req.body);
  const { url, bucket, key: objectKey } = source;
  const ordered = toUploadOrder(order);
  if (url !== undefined)
    return await commands.createUploadFromUrl(caller, { ...ordered, url }, idempotencyKey).catch(nameSource);
  const place = { bucket: bucket!, key: objectKey! };
  return await commands.createUploadFromBucket(caller, { ...ordered, ...place }, idempotencyKey).catch(nameSource);
}

/** Renames the field of a failure: this body has the fields of a source in `source`. */
function nameSource(error: unknown): never {
  if (!(error instanceof Failure) || (error.field !== 'url' && error.field !== 'bucket')) throw error;
  return nameField('source.', () => {
    throw error;
  });
}

async function fromForm(
  deps: UploadNeeds,
  caller: Caller,
  req: Request<object>,
  idempotencyKey: UploadIdempotencyKey,
): Promise<UploadWithEnhancements> {
  checked(noQuery, req.query, 'The query');
  await deps.commands.assertFits(caller, Math.max(1, (declaredSize(req) ?? 0) - FRAME_BYTES), idempotencyKey);
  const discard = (file: ReceivedFile): Promise<void> => deps.commands.discardReceived(file);
  const { fields, file } = await readMultipart(req, (body) => receive(deps, caller, { body }), discard);
  return await start(deps, caller, idempotencyKey, file, () => checked(uploadOrderFields, fields, 'The form'));
}

async function fromRawBody(
  deps: UploadNeeds,
  caller: Caller,
  req: Request<object>,
  idempotencyKey: UploadIdempotencyKey,
  contentType: string,
): Promise<UploadWithEnhancements> {
  const declaredType = mediaTypeOfBody(contentType);
  const filename = dispositionFilename(req);
  const password = passwordHeader(req);
  const size = declaredSize(req);
  await deps.commands.assertFits(caller, size ?? 1, idempotencyKey);
  const received = await receive(deps, caller, {
    body: req,
    declaredSize: size,
    declaredType,
    checkHead: (head) => assertFileBytes(head, contentType),
  });
  return await start(deps, caller, idempotencyKey, { received, filename }, () => ({
    ...checked(uploadOrderTexts, req.query, 'The query'),
    password,
  }));
}

function receive(deps: UploadNeeds, { account }: Caller, body: Omit<IncomingFile, 'accountId'>): Promise<ReceivedFile> {
  return receiveUpload(deps, { accountId: account.id, ...body });
}

async function start(
  { commands }: UploadNeeds,
  caller: Caller,
  idempotencyKey: UploadIdempotencyKey,
  { received, filename: ownFilename }: { received: ReceivedFile; filename: string | null },
  read: () => Parameters<typeof toUploadOrder>[0],
): Promise<UploadWithEnhancements> {
  let order;
  try {
    order = toUploadOrder(read());
  } catch (error) {
    await commands.discardReceived(received);
    throw error;
  }
  return await commands.createUploadFromStored(
    caller,
    { ...order, filename: order.filename ?? ownFilename, received },
    idempotencyKey,
  );
}

/** Bytes, if the client declared them. */
function declaredSize(req: Request<object>): number | undefined {
  const length = readHeader(req, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/** The header with the password of a PDF sent as the raw body. It is a header because URLs appear in logs. */
export const PASSWORD_HEADER = 'X-Pdf-Password';

/** The password of a PDF, percent-encoded UTF-8 in its header. @throws Failure BAD_USER_INPUT */
export function passwordHeader(req: Request<object>): string | undefined {
  const header = readHeader(req, PASSWORD_HEADER.toLowerCase());
  if (header === undefined) return undefined;
  try {
    return pdfPassword.parse(decodeURIComponent(header));
  } catch {
    // The cause would contain the password.
    const detail = `The header ${PASSWORD_HEADER} is not valid. Send 1 to ${MAX_PASSWORD_LENGTH} characters, percent-encoded.`;
    throw new Failure('BAD_USER_INPUT', { field: PASSWORD_HEADER, detail });
  }
}

/** The file name of a `Content-Disposition` header, or null. @throws Failure BAD_USER_INPUT */
function dispositionFilename(req: Request<object>): string | null {
  const header = readHeader(req, 'content-disposition');
  if (header === undefined) return null;
  try {
    return parseDisposition(header).parameters['filename'] ?? null;
  } catch (cause) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'Content-Disposition',
      detail: 'The header Content-Disposition cannot be read. Send it as attachment; filename="photo.jpg".',
      cause,
    });
  }
}
