import { Router } from 'express';
import { isTerminal } from '../../domain/enhancement/enhancement.ts';
import type {
  SignedUploadRepresentation,
  UploadWithEnhancementsRepresentation,
} from '../../domain/representations/upload.ts';
import { found } from '../commands/require-record.ts';
import type { UploadWithEnhancements } from '../commands/command-types.ts';
import { isSettled } from '../events/follow-upload.ts';
import { callerOf } from '../http/request-context.ts';
import { createUpload, uploadJson } from './receive/read-upload.ts';
import { createKeyOf } from '../http/create-key.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { listUploadsQuery, pageRequest } from '../schemas/paging.ts';
import { toEnhancementOrder, toUploadOrder } from './upload-orders.ts';
import { representEnhancement, representUpload } from './upload-schemas.ts';
import {
  createSignedUploadBody,
  deleteUploadsBody,
  enhancementOrderSchema,
  noBody,
  noQuery,
} from './upload-requests.ts';
import { accepted, finished, fresh, idempotencyKeyOf, jsonBody, page, parse } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

/** `/v1/uploads`: an upload from its first byte to its deletion. */
export function uploadRoutes(deps: RestDeps): Router {
  const { commands, uploads, enhancements, addresses, preferredWait } = deps;
  const router = Router();
  router.param('id', wellFormedId('upl'));

  const represent = ({ upload, enhancements }: UploadWithEnhancements): UploadWithEnhancementsRepresentation => ({
    ...representUpload(upload, addresses),
    enhancements: enhancements.map((each) => representEnhancement(each, addresses)),
  });

  router.post('/', uploadJson, async (req, res) => {
    const wait = preferredWait(req, res);
    const made = await createUpload(deps, wait.caller, req, createKeyOf(req, res));
    const { id, accountId } = made.upload;
    const read = (): ReturnType<typeof uploads.getWithEnhancements> => uploads.getWithEnhancements(accountId, id);
    const settled = await wait.finished(id, read, (each) => isSettled(each.upload, each.enhancements));
    const answer = settled === undefined ? accepted : finished;
    answer(res, `/v1/uploads/${id}`, represent(settled ?? made));
  });

  router.post('/signed', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const { filename, filesize, mimetype, ...rest } = parse(createSignedUploadBody, req.body);
    const order = { ...toUploadOrder(rest), filename, filesize, mimetype };
    const made = await commands.createSignedUpload(callerOf(res), order, createKeyOf(req, res));
    const { uploadUrl, expiresAt: uploadUrlExpiresAt } = made;
    const body: SignedUploadRepresentation = { ...represent(made), uploadUrl, uploadUrlExpiresAt };
    accepted(res, `/v1/uploads/${made.upload.id}`, body);
  });

  router.post('/delete', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const { ids } = parse(deleteUploadsBody, req.body);
    fresh(res, { deletedUploadIds: await commands.deleteUploads(callerOf(res), ids, idempotencyKeyOf(req)) });
  });

  router.get('/', async (req, res) => {
    const { id: accountId } = callerOf(res).account;
    const { status, search, include, ...query } = parse(listUploadsQuery, req.query);
    const request = {
      ...pageRequest(query),
      ...(status === undefined ? {} : { status }),
      ...(search === undefined ? {} : { search }),
    };
    const listed = await uploads.list(accountId, request);
    const ids = listed.items.map(({ id }) => id);
    const ofUpload = include === undefined ? undefined : await enhancements.listForUploads(accountId, ids);
    page(req, res, listed, (upload) =>
      ofUpload === undefined
        ? representUpload(upload, addresses)
        : represent({ upload, enhancements: ofUpload.get(upload.id)! }),
    );
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const { id: accountId } = callerOf(res).account;
    fresh(res, represent(found(await uploads.getWithEnhancements(accountId, req.params.id))));
  });

  router.post('/:id/enhancements', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const order = toEnhancementOrder(parse(enhancementOrderSchema, req.body));
    const wait = preferredWait(req, res);
    const made = await commands.requestEnhancement(wait.caller, req.params['id'], order, idempotencyKeyOf(req));
    const { id, uploadId, accountId } = made;
    const read = (): ReturnType<typeof enhancements.get> => enhancements.get(accountId, id);
    const ended = await wait.finished(uploadId, read, ({ status }) => isTerminal(status));
    const answer = ended === undefined ? accepted : finished;
    answer(res, `/v1/enhancements/${id}`, representEnhancement(ended ?? made, addresses));
  });

  for (const [path, command] of [
    ['complete', 'completeSignedUpload'],
    ['analyze', 'analyzeAgain'],
  ] as const) {
    router.post(`/:id/${path}`, jsonBody, async (req, res) => {
      parse(noQuery, req.query);
      parse(noBody, req.body);
      const upload = await commands[command](callerOf(res), req.params['id'], idempotencyKeyOf(req));
      accepted(res, `/v1/uploads/${upload.id}`, representUpload(upload, addresses));
    });
  }

  router.delete('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const upload = await commands.deleteUpload(callerOf(res), req.params.id, idempotencyKeyOf(req));
    accepted(res, `/v1/uploads/${upload.id}`, representUpload(upload, addresses));
  });

  return router;
}
