import { z } from 'zod';
import { LEDGER_ENTRY_KINDS } from '../../domain/accounts/credits.ts';
import type { CreditBalance, LedgerEntry } from '../../domain/accounts/credits.ts';
import type { CreditsRepresentation, LedgerEntryRepresentation } from '../../domain/representations/account.ts';

export const creditsSchema = z
  .object({
    remainingCreditsThisPeriod: z
      .number()
      .meta({ description: 'Credits left, without those reserved for running work.' }),
    usedCreditsThisPeriod: z.number(),
    reservedCreditsThisPeriod: z
      .number()
      .meta({ description: 'Credits reserved for accepted work that has not finished.' }),
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
    period: z.string().meta({ description: 'Calendar month of the entry.', example: '2026-01' }),
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

export function representLedgerEntry(entry: LedgerEntry): LedgerEntryRepresentation {
  return {
    seq: entry.seq,
    period: entry.period,
    kind: entry.kind,
    credits: entry.credits,
    enhancementId: entry.enhancementId,
    reference: entry.reference,
    at: entry.at,
  };
}
