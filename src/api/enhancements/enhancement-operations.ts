import { Router } from 'express';
import { found } from '../commands/require-record.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import { representEnhancement } from '../uploads/upload-schemas.ts';
import { noBody, noQuery } from '../uploads/upload-requests.ts';
import { accepted, fresh, idempotencyKeyOf, jsonBody, page, parse } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

/** `/v1/enhancements`: reading one, and deciding on it. */
export function enhancementRoutes({ commands, enhancements, addresses }: RestDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('enh'));

  router.get('/', async (req, res) => {
    const request = pageRequest(parse(pageQuery, req.query));
    page(req, res, await enhancements.list(callerOf(res).account.id, request), (each) =>
      representEnhancement(each, addresses),
    );
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const enhancement = found(await enhancements.get(callerOf(res).account.id, req.params.id));
    fresh(res, representEnhancement(enhancement, addresses));
  });

  for (const command of ['approve', 'reject', 'cancel'] as const) {
    router.post(`/:id/${command}`, jsonBody, async (req, res) => {
      parse(noQuery, req.query);
      parse(noBody, req.body);
      const enhancement = await commands[command](callerOf(res), req.params['id'], idempotencyKeyOf(req));
      accepted(res, `/v1/enhancements/${enhancement.id}`, representEnhancement(enhancement, addresses));
    });
  }

  return router;
}
