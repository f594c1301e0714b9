import express, { Router } from 'express';
import { found } from '../commands/found.ts';
import { callerOf } from '../request-context.ts';
import type { RestDeps } from './deps.ts';
import { representEnhancement } from './representations.ts';
import { DEFAULT_PAGE_LIMIT, listEnhancementsQuery, noBody, noQuery } from './requests.ts';
import { accepted, fresh, idempotencyKeyOf, JSON_BODY_BYTES, page, parse } from './respond.ts';
import { wellFormedId } from './well-formed-id.ts';

/** `/v1/enhancements`: reading one, and deciding on it. */
export function enhancementRoutes({ commands, enhancements, addresses }: RestDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('enh'));

  router.get('/', async (req, res) => {
    const { limit = DEFAULT_PAGE_LIMIT, after } = parse(listEnhancementsQuery, req.query);
    const request = { limit, ...(after === undefined ? {} : { after }) };
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
    router.post(`/:id/${command}`, express.json({ limit: JSON_BODY_BYTES, inflate: false }), async (req, res) => {
      parse(noQuery, req.query);
      parse(noBody, req.body);
      const enhancement = await commands[command](callerOf(res), req.params['id'], idempotencyKeyOf(req));
      accepted(res, `/v1/enhancements/${enhancement.id}`, representEnhancement(enhancement, addresses));
    });
  }

  return router;
}
