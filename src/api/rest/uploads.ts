import express, { Router } from 'express';
import { found } from '../commands/found.ts';
import type { UploadWithEnhancements } from '../commands/types.ts';
import { callerOf } from '../request-context.ts';
import { createUpload, uploadJson } from './create-upload.ts';
import type { RestDeps } from './deps.ts';
import { toEnhancementOrder } from './orders.ts';
import { representEnhancement, representUpload } from './representations.ts';
import { DEFAULT_PAGE_LIMIT, enhancementOrderSchema, listUploadsQuery, noBody, noQuery } from './requests.ts';
import { accepted, fresh, idempotencyKeyOf, JSON_BODY_BYTES, page, parse } from './respond.ts';
import { wellFormedId } from './well-formed-id.ts';

/** `/v1/uploads`: an upload from its first byte to its deletion. */
export function uploadRoutes(deps: RestDeps): Router {
  const { commands, uploads, enhancements, addresses } = deps;
  const router = Router();
  router.param('id', wellFormedId('upl'));
  const json = express.json({ limit: JSON_BODY_BYTES, inflate: false });

  const represent = ({ upload, enhancements }: UploadWithEnhancements): object => ({
    ...representUpload(upload, addresses),
    enhancements: enhancements.map((each) => representEnhancement(each, addresses)),
  });

  router.post('/', uploadJson, async (req, res) => {
    const made = await createUpload(deps, callerOf(res), req, idempotencyKeyOf(req));
    accepted(res, `/v1/uploads/${made.upload.id}`, represent(made));
  });

  router.get('/', async (req, res) => {
    const { limit = DEFAULT_PAGE_LIMIT, after, status } = parse(listUploadsQuery, req.query);
    const request = { limit, ...(after === undefined ? {} : { after }), ...(status === undefined ? {} : { status }) };
    page(req, res, await uploads.list(callerOf(res).account.id, request), (upload) =>
      representUpload(upload, addresses),
    );
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const { id: accountId } = callerOf(res).account;
    const upload = found(await uploads.get(accountId, req.params.id));
    fresh(res, represent({ upload, enhancements: await enhancements.listForUpload(accountId, upload.id) }));
  });

  router.post('/:id/enhancements', json, async (req, res) => {
    parse(noQuery, req.query);
    const order = toEnhancementOrder(parse(enhancementOrderSchema, req.body));
    const made = await commands.requestEnhancement(callerOf(res), req.params.id, order, idempotencyKeyOf(req));
    accepted(res, `/v1/enhancements/${made.id}`, representEnhancement(made, addresses));
  });

  router.post('/:id/analyze', json, async (req, res) => {
    parse(noQuery, req.query);
    parse(noBody, req.body);
    const upload = await commands.analyzeAgain(callerOf(res), req.params.id, idempotencyKeyOf(req));
    accepted(res, `/v1/uploads/${upload.id}`, representUpload(upload, addresses));
  });

  router.delete('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const upload = await commands.deleteUpload(callerOf(res), req.params.id, idempotencyKeyOf(req));
    accepted(res, `/v1/uploads/${upload.id}`, representUpload(upload, addresses));
  });

  return router;
}
