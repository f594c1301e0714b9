import { Router } from 'express';
import { z } from 'zod';
import { noQuery } from '../uploads/upload-requests.ts';
import { fresh, parse } from '../rest/respond.ts';

export const versionSchema = z
  .object({
    version: z.string().meta({ description: 'Version of Burnish.', example: '0.1.0' }),
    engineVersion: z.string().meta({
      description: 'Version of the engine. The same file and parameters give the same result for as long as it stays.',
      example: '12.1',
    }),
  })
  .meta({ id: 'Version' });

/** `/v1/version` */
export function versionRoutes({ version, engineVersion }: z.infer<typeof versionSchema>): Router {
  const router = Router();
  router.get('/', (req, res) => {
    parse(noQuery, req.query);
    fresh(res, { version, engineVersion });
  });
  return router;
}
