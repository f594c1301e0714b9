import { z } from 'zod';
import { LEDGER_ENTRY_KINDS } from '../../domain/accounts/credits.ts';
import type { CreditBalance, LedgerEntry } from '../../domain/accounts/credits.ts';
import type { CreditsRepresentation, LedgerEntryRepresentation } from '../../domain/representations/account.ts';

export const creditsSchema = z
  .object({
    remainingCreditsThisPeriod: z
      .number()
      .meta({ description: 'Remaining credits of the current period, without reserved credits.' }),
    usedCreditsThisPeriod: z.number().meta({ description: 'Charged credits of the current period.' }),
    reservedCreditsThisPeriod: z
      .number()
      .meta({ description: 'Credits reserved for accepted enhancements that have not ended.' }),
    periodStart: z.iso.datetime().meta({ description: 'Start of the current period.' }),
    periodEnd: z.iso.datetime().meta({ description: 'End of the current period, exclusive.' }),
  })
  .meta({
    id: 'Credits',
    description: 'Credits of the account in the current period, a calendar month in UTC.',
  });

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
    seq: z.int().meta({ description: 'Sequence number, which increases with each entry.' }),
    period: z.string().meta({ description: 'Calendar month of the entry.', example: '2026-01' }),
    kind: z.enum(LEDGER_ENTRY_KINDS).meta({
      description:
        '`grant` and `top_up` add credits. `reserve` reserves credits for an enhancement, `capture` charges them, and `release` returns them.',
    }),
    credits: z.int().meta({ description: 'Number of credits.' }),
    enhancementId: z.string().nullable().meta({ description: 'Id of the enhancement. Null for a grant or a top-up.' }),
    reference: z.string().nullable().meta({ description: 'Reference of a grant or a top-up.' }),
    at: z.iso.datetime().meta({ description: 'Time of the entry.' }),
  })
  .meta({ id: 'LedgerEntry', description: 'An entry of the credit ledger.' });

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
