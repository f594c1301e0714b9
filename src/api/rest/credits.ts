import { Router } from 'express';
import { z } from 'zod';
import type { CreditBalance } from '../../domain/credits.ts';
import { callerOf } from '../request-context.ts';
import type { RestDeps } from './deps.ts';
import { noQuery } from './requests.ts';
import { fresh, parse } from './respond.ts';

export const creditsSchema = z
  .object({
    remainingCreditsThisPeriod: z
      .number()
      .meta({ description: 'Credits left, after what is reserved for running work.' }),
    usedCreditsThisPeriod: z.number(),
    reservedCreditsThisPeriod: z
      .number()
      .meta({ description: 'Credits set aside for work that is accepted and not finished.' }),
    periodStart: z.iso.datetime(),
    periodEnd: z.iso.datetime().meta({ description: 'Not included.' }),
  })
  .meta({ id: 'Credits' });

export function representCredits({ period, remaining, used, reserved }: CreditBalance): z.infer<typeof creditsSchema> {
  return {
    remainingCreditsThisPeriod: remaining,
    usedCreditsThisPeriod: used,
    reservedCreditsThisPeriod: reserved,
    periodStart: period.start,
    periodEnd: period.end,
  };
}

/** `/v1/credits`: the account's balance in the present period. */
export function creditRoutes({ ledger, now }: Pick<RestDeps, 'ledger' | 'now'>): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    parse(noQuery, req.query);
    fresh(res, representCredits(await ledger.balance(callerOf(res).account.id, now())));
  });
  return router;
}
