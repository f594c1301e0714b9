import type { Readable } from 'node:stream';
import express from 'express';
import type { Request } from 'express';
import { Failure } from '../../../domain/failures.ts';
import type { MediaType } from '../../../domain/upload/media.ts';
import type { Caller, CreateKey, ReceivedFile, UploadWithEnhancements } from '../../commands/command-types.ts';
import { atField } from '../../commands/name-field.ts';
import { receiveFile } from './receive-file.ts';
import type { RestDeps } from '../../rest/rest-deps.ts';
import { readMultipart } from './multipart.ts';
import { toUploadOrder } from '../upload-orders.ts';
import { declaredSize, declaredType, dispositionFilename } from './raw-body.ts';
import { createUploadBody, noQuery, uploadOrderTexts } from '../upload-requests.ts';
import { JSON_BODY_BYTES, parse } from '../../rest/respond.ts';

type CreateDeps = Pick<RestDeps, 'commands' | 'storage' | 'stagedFiles' | 'detectMediaType' | 'now'>;

/** Reads JSON for `createUpload`; leaves every other body as the stream that it is. */
export const uploadJson = express.json({ limit: JSON_BODY_BYTES, inflate: false });

/** `POST /v1/uploads`: JSON with an address, a form with a file, or the file itself. */
export async function createUpload(
  deps: CreateDeps,
  caller: Caller,
  req: Request,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  const contentType = (req.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (contentType === 'application/json') return await fromUrl(deps, caller, req, key);
  return contentType === 'multipart/form-data'
    ? await fromForm(deps, caller, req, key)
    : await fromRawBody(deps, caller, req, key, declaredType(contentType));
}

async function fromUrl(
  { commands }: CreateDeps,
  caller: Caller,
  req: Request,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  parse(noQuery, req.query);
  const { source, ...order } = parse(createUploadBody, req.body);
  return await commands
    .createUploadFromUrl(caller, { ...toUploadOrder(order), url: source.url }, key)
    .catch(nameUrlField);
}

/** The command knows the address as `url`; in this body it stands in `source`. */
function nameUrlField(error: unknown): never {
  if (!(error instanceof Failure) || error.field !== 'url') throw error;
  return atField('source.', () => {
    throw error;
  });
}

async function fromForm(
  deps: CreateDeps,
  caller: Caller,
  req: Request,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  parse(noQuery, req.query);
  const discard = (file: ReceivedFile): Promise<void> => deps.commands.discardReceived(file);
  const { fields, file } = await readMultipart(req, (body) => receive(deps, caller, { body }), discard);
  return await start(deps, caller, key, file.received, fields, file.filename);
}

async function fromRawBody(
  deps: CreateDeps,
  caller: Caller,
  req: Request,
  key: CreateKey,
  type: MediaType | undefined,
): Promise<UploadWithEnhancements> {
  // Everything but the file is known already, so it is checked before the first byte is read.
  parse(uploadOrderTexts, req.query);
  const name = dispositionFilename(req);
  const received = await receive(deps, caller, { body: req, declaredSize: declaredSize(req), declaredType: type });
  return await start(deps, caller, key, received, req.query, name);
}

interface Body {
  body: Readable;
  declaredSize?: number | undefined;
  declaredType?: MediaType | undefined;
}

function receive(deps: CreateDeps, { account }: Caller, body: Body): Promise<ReceivedFile> {
  return receiveFile(deps, { accountId: account.id, ...body });
}

async function start(
  { commands }: CreateDeps,
  caller: Caller,
  key: CreateKey,
  received: ReceivedFile,
  texts: unknown,
  ownFilename: string | null,
): Promise<UploadWithEnhancements> {
  let order;
  try {
    order = toUploadOrder(parse(uploadOrderTexts, texts));
  } catch (error) {
    await commands.discardReceived(received);
    throw error;
  }
  return await commands.createUploadFromStored(
    caller,
    { ...order, filename: order.filename ?? ownFilename, received },
    key,
  );
}
