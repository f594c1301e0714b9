import type { Readable } from 'node:stream';
import type { Request } from 'express';
import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import type { MediaType } from '../../../domain/upload/media.ts';
import type { Caller, CreateKey, ReceivedFile, UploadWithEnhancements } from '../../commands/command-types.ts';
import { nameField } from '../../commands/name-field.ts';
import type { UploadCommands } from '../upload-commands.ts';
import { createUploadBody, toUploadOrder, uploadOrderFields, uploadOrderTexts } from '../upload-order-schemas.ts';
import { readMultipart } from './multipart.ts';
import { declaredSize, declaredType, dispositionFilename, passwordHeader } from './raw-body.ts';
import { receiveUpload } from './receive-upload.ts';
import type { ReceiveDeps } from './receive-upload.ts';

export interface ReadUploadDeps extends ReceiveDeps {
  commands: Pick<UploadCommands, 'createUploadFromStored' | 'createUploadFromUrl' | 'discardReceived'>;
}

const noQuery = z.strictObject({});

/** Creates an upload from the body of a request: JSON with an address, a form with a file, or the file itself. */
export async function readUpload(
  deps: ReadUploadDeps,
  caller: Caller,
  req: Request<object>,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  const contentType = (req.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (contentType === 'application/json') return await fromUrl(deps, caller, req, key);
  return contentType === 'multipart/form-data'
    ? await fromForm(deps, caller, req, key)
    : await fromRawBody(deps, caller, req, key, declaredType(contentType));
}

async function fromUrl(
  { commands }: ReadUploadDeps,
  caller: Caller,
  req: Request<object>,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  noQuery.parse(req.query);
  const { source, ...order } = createUploadBody.parse(req.body);
  return await commands
    .createUploadFromUrl(caller, { ...toUploadOrder(order), url: source.url }, key)
    .catch(nameUrlField);
}

/** The command knows the address as `url`; in this body it stands in `source`. */
function nameUrlField(error: unknown): never {
  if (!(error instanceof Failure) || error.field !== 'url') throw error;
  return nameField('source.', () => {
    throw error;
  });
}

async function fromForm(
  deps: ReadUploadDeps,
  caller: Caller,
  req: Request<object>,
  key: CreateKey,
): Promise<UploadWithEnhancements> {
  noQuery.parse(req.query);
  const discard = (file: ReceivedFile): Promise<void> => deps.commands.discardReceived(file);
  const { fields, file } = await readMultipart(req, (body) => receive(deps, caller, { body }), discard);
  return await start(deps, caller, key, file, () => uploadOrderFields.parse(fields));
}

async function fromRawBody(
  deps: ReadUploadDeps,
  caller: Caller,
  req: Request<object>,
  key: CreateKey,
  type: MediaType | undefined,
): Promise<UploadWithEnhancements> {
  const filename = dispositionFilename(req);
  const password = passwordHeader(req);
  const received = await receive(deps, caller, { body: req, declaredSize: declaredSize(req), declaredType: type });
  return await start(deps, caller, key, { received, filename }, () => ({
    ...uploadOrderTexts.parse(req.query),
    password,
  }));
}

interface Body {
  body: Readable;
  declaredSize?: number | undefined;
  declaredType?: MediaType | undefined;
}

function receive(deps: ReadUploadDeps, { account }: Caller, body: Body): Promise<ReceivedFile> {
  return receiveUpload(deps, { accountId: account.id, ...body });
}

async function start(
  { commands }: ReadUploadDeps,
  caller: Caller,
  key: CreateKey,
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
    key,
  );
}
