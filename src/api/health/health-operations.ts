import { Router } from 'express';
import { z } from 'zod';

export interface Readiness {
  ready: boolean;
  /** One sentence for each thing that is missing */
  problems: string[];
  /** What holds the decoders of this process; absent while it starts */
  sandbox?: string;
}

export const healthSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export const readinessSchema = z
  .object({ ready: z.boolean(), problems: z.array(z.string()), sandbox: z.string().optional() })
  .meta({ id: 'Readiness' });

/** `/healthz`: the process answers. `/readyz`: it can do its work, and its workers poll. Neither needs a key. */
export function healthRoutes(deps: { ready: () => Promise<Readiness>; closing?: AbortSignal }): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => void res.set('Cache-Control', 'no-store').json({ status: 'ok' }));
  router.get('/readyz', async (_req, res) => {
    const closing: Readiness = { ready: false, problems: ['The gateway is closing.'] };
    const readiness = deps.closing?.aborted === true ? closing : await deps.ready();
    res
      .status(readiness.ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(readiness);
  });
  return router;
}
