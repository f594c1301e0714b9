import { z } from 'zod';
import { LEDGER_ENTRY_KINDS, LEDGER_LINE_KINDS, type CreditBalance } from '@burnish/contract';
import type { UsageOfKey } from '../../database/accounts/usage.ts';

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
export type CreditsRepresentation = z.infer<typeof creditsSchema>;

export function representCredits({ period, remaining, used, reserved }: CreditBalance): CreditsRepresentation {
  return {
    remainingCreditsThisPeriod: remaining,
    usedCreditsThisPeriod: used,
    reservedCreditsThisPeriod: reserved,
    periodStart: period.start,
    periodEnd: period.end,
  };
}

const usageCounts = {
  finished: z.int().meta({ description: 'Enhancements with a result.' }),
  failed: z.int().meta({ description: 'Enhancements that failed, at no charge.' }),
  cancelled: z.int().meta({ description: 'Enhancements that were cancelled, at no charge.' }),
  reused: z.int().meta({ description: 'Finished enhancements that reused an earlier result at no charge.' }),
  credits: z.number().meta({ description: 'Charged credits.' }),
};

const usageOfKeySchema = z
  .object({
    keyId: z.string().nullable().meta({
      description:
        'Id of the API key that ordered them. Null for orders of workflows, and before Burnish recorded keys.',
    }),
    keyName: z.string().nullable().meta({ description: 'Name of the key. Null for a deleted key and without a key.' }),
    ...usageCounts,
  })
  .meta({ id: 'UsageOfKey', description: 'Enhancements that ended on one day and were ordered with one API key.' });

export const usageDaySchema = z
  .object({
    day: z.iso.date().meta({ description: 'Day in UTC.', example: '2026-01-31' }),
    ...usageCounts,
    keys: z
      .array(usageOfKeySchema)
      .meta({ description: 'The same by API key. A key without an enhancement is absent.' }),
  })
  .meta({ id: 'UsageDay', description: 'Enhancements of the account that ended on one day.' });
export type UsageDayRepresentation = z.infer<typeof usageDaySchema>;

const COUNTS = ['finished', 'failed', 'cancelled', 'reused', 'credits'] as const satisfies (keyof typeof usageCounts)[];

/** Adds the keys of each day. Days without an ended enhancement are absent. */
export function representUsage(rows: readonly UsageOfKey[]): UsageDayRepresentation[] {
  const days = new Map<string, UsageDayRepresentation>();
  for (const { day, ...ofKey } of rows) {
    const sum = days.get(day) ?? { day, finished: 0, failed: 0, cancelled: 0, reused: 0, credits: 0, keys: [] };
    for (const name of COUNTS) sum[name] += ofKey[name];
    sum.keys.push(ofKey);
    days.set(day, sum);
  }
  return [...days.values()];
}

const ledgerEntrySchema = z
  .object({
    seq: z.int().meta({ description: 'Sequence number, which increases with each entry.' }),
    kind: z.enum(LEDGER_ENTRY_KINDS).meta({
      description:
        '`grant` and `top_up` add credits. `reserve` reserves credits for an enhancement, `capture` charges them, and `release` returns them.',
    }),
    credits: z.int().meta({ description: 'Number of credits.' }),
    change: z.int().meta({
      description: 'Signed effect on the remaining credits; 0 for a capture, whose credits were reserved before.',
    }),
    at: z.iso.datetime().meta({ description: 'Time of the entry.' }),
  })
  .meta({ id: 'LedgerEntry', description: 'An entry of the credit ledger.' });

export const ledgerLineSchema = z
  .object({
    seq: z.int().meta({ description: 'Sequence number of its first entry.' }),
    period: z.string().meta({ description: 'Calendar month of the line.', example: '2026-01' }),
    kind: z.enum(LEDGER_LINE_KINDS).meta({ description: 'A grant, a top-up, or one enhancement.' }),
    change: z.int().meta({
      description:
        'Signed effect of its entries on the remaining credits: -5 for an enhancement that reserved 8 and cost 5.',
      example: -5,
    }),
    remaining: z
      .int()
      .meta({ description: 'Credits of the period after this line and all earlier ones.', example: 95 }),
    enhancementId: z.string().nullable().meta({ description: 'Id of the enhancement. Null for a grant or a top-up.' }),
    uploadId: z.string().nullable().meta({ description: 'Id of its upload. Null for a grant or a top-up.' }),
    originalFilename: z
      .string()
      .nullable()
      .meta({ description: 'File name of its upload. Null for a grant or a top-up.' }),
    unchanged: z.boolean().meta({ description: 'The enhancement changed no picture, so it was not charged.' }),
    basedOn: z.string().nullable().meta({
      description: 'Id of the earlier enhancement whose paid pages this one did not pay again. Null without one.',
    }),
    reference: z.string().nullable().meta({ description: 'Reference of a grant or a top-up.' }),
    at: z.iso.datetime().meta({ description: 'Time of its first entry.' }),
    entries: z.array(ledgerEntrySchema).meta({ description: 'Its entries, oldest first.' }),
  })
  .meta({ id: 'LedgerLine', description: 'A line of the credit ledger: a grant, a top-up, or one enhancement.' });
