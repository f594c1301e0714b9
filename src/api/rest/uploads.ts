import { Router } from 'express';
import type {
  SignedUploadRepresentation,
  UploadWithEnhancementsRepresentation,
} from '../../domain/representations/upload.ts';
import { found } from '../commands/found.ts';
import type { UploadWithEnhancements } from '../commands/types.ts';
import { callerOf } from '../request-context.ts';
import { createUpload, uploadJson } from './create-upload.ts';
import { createKeyOf } from '../create-key.ts';
import type { RestDeps } from './deps.ts';
import { listUploadsQuery, pageRequest } from './list-requests.ts';
import { toEnhancementOrder, toUploadOrder } from './orders.ts';
import { representEnhancement, representUpload } from './representations.ts';
import { createSignedUploadBody, deleteUploadsBody, enhancementOrderSchema, noBody, noQuery } from './requests.ts';
import { accepted, fresh, idempotencyKeyOf, jsonBody, page, parse } from './respond.ts';
import { wellFormedId } from './well-formed-id.ts';

/** `/v1/uploads`: an upload from its first byte to its deletion. */
export function uploadRoutes(deps: RestDeps): Router {
  const { commands, uploads, enhancements, addresses } = deps;
  const router = Router();
  router.param('id', wellFormedId('upl'));

  const represent = ({ upload, enhancements }: UploadWithEnhancements): UploadWithEnhancementsRepresentation => ({
    ...representUpload(upload, addresses),
    enhancements: enhancements.map((each) => representEnhancement(each, addresses)),
  });

  router.post('/', uploadJson, async (req, res) => {
    const made = await createUpload(deps, callerOf(res), req, createKeyOf(req, res));
    accepted(res, `/v1/uploads/${made.upload.id}`, represent(made));
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
    const made = await commands.requestEnhancement(callerOf(res), req.params['id'], order, idempotencyKeyOf(req));
    accepted(res, `/v1/enhancements/${made.id}`, representEnhancement(made, addresses));
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
