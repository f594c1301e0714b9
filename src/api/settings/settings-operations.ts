import { Router } from 'express';
import { z } from 'zod';
import { RETENTION_DAYS, type Account } from '../../domain/accounts/account.ts';
import type { SettingsRepresentation } from '../../domain/representations/account.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { noQuery } from '../uploads/upload-requests.ts';
import { fresh, idempotencyKeyOf, jsonBody, parse } from '../rest/respond.ts';

export const settingsSchema = z
  .strictObject({
    uploadRetentionDays: z.int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max).meta({
      description: 'Days that new uploads are kept. Uploads that exist keep theirs.',
      example: RETENTION_DAYS.default,
    }),
  })
  .meta({ id: 'Settings' });

const represent = ({ retentionDays }: Pick<Account, 'retentionDays'>): SettingsRepresentation => ({
  uploadRetentionDays: retentionDays,
});

/** `/v1/settings`: what holds for all that an account does from now on. */
export function settingsRoutes({ commands }: Pick<RestDeps, 'commands'>): Router {
  const router = Router();

  router.get('/', (req, res) => {
    parse(noQuery, req.query);
    fresh(res, represent(callerOf(res).account));
  });

  router.patch('/', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const { uploadRetentionDays: days } = parse(settingsSchema, req.body);
    fresh(res, represent(await commands.updateFileRetention(callerOf(res), days, idempotencyKeyOf(req))));
  });

  return router;
}
