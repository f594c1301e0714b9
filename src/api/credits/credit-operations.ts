import { Router } from 'express';
import { z } from 'zod';
import { LEDGER_ENTRY_KINDS } from '../../domain/accounts/credits.ts';
import type { CreditBalance } from '../../domain/accounts/credits.ts';
import type { CreditsRepresentation, LedgerEntryRepresentation } from '../../domain/representations/account.ts';
import type { LedgerEntry } from '../../domain/accounts/credits.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import { noQuery } from '../uploads/upload-requests.ts';
import { fresh, page, parse } from '../rest/respond.ts';

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

export function representCredits({ period, remaining, used, reserved }: CreditBalance): CreditsRepresentation {
  return {
    remainingCreditsThisPeriod: remaining,
    usedCreditsThisPeriod: used,
    reservedCreditsThisPeriod: reserved,
    periodStart: period.start,
    periodEnd: period.end,
  };
}

export const ledgerEntrySchema = z
  .object({
    seq: z.int().meta({ description: 'Rises with each entry.' }),
    period: z.string().meta({ description: 'Calendar month that the entry counts in.', example: '2026-01' }),
    kind: z.enum(LEDGER_ENTRY_KINDS).meta({
      description:
        '`grant` and `top_up` add credits; `reserve` sets them aside for an enhancement, `capture` charges them, `release` gives them back.',
    }),
    credits: z.int(),
    enhancementId: z.string().nullable(),
    reference: z.string().nullable().meta({ description: 'Of a grant or a top-up.' }),
    at: z.iso.datetime(),
  })
  .meta({ id: 'LedgerEntry' });

export const representEntry = (entry: LedgerEntry): LedgerEntryRepresentation => ({
  seq: entry.seq,
  period: entry.period,
  kind: entry.kind,
  credits: entry.credits,
  enhancementId: entry.enhancementId,
  reference: entry.reference,
  at: entry.at,
});

/** `/v1/credits`: the account's balance in the present period, and the entries that it comes from. */
export function creditRoutes({ ledger, now }: Pick<RestDeps, 'ledger' | 'now'>): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    parse(noQuery, req.query);
    fresh(res, representCredits(await ledger.balance(callerOf(res).account.id, now())));
  });

  router.get('/entries', async (req, res) => {
    const request = pageRequest(parse(pageQuery, req.query));
    page(req, res, await ledger.entries(callerOf(res).account.id, request), representEntry);
  });

  return router;
}
