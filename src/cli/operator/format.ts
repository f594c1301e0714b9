import { InvalidArgumentError } from 'commander';
import type { CreditBalance, LedgerLine } from '../../domain/accounts/credits.ts';

export function balanceLines({ period, granted, used, reserved, remaining }: CreditBalance): string[] {
  return [
    `Period     ${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`,
    `Granted    ${granted}`,
    `Used       ${used}`,
    `Reserved   ${reserved}`,
    `Remaining  ${remaining}`,
  ];
}

const signed = (change: number): string => (change > 0 ? `+${change}` : String(change));

/** A line of the ledger with its change and the balance after it, such as `-5  95 left  enh_…: 8 reserved, 5 charged, 3 released`. */
export function ledgerLine({
  at,
  change,
  remaining,
  kind,
  enhancementId,
  reference,
  entries,
  unchanged,
}: LedgerLine): string {
  const words = { grant: 'granted', top_up: 'added', reserve: 'reserved', capture: 'charged', release: 'released' };
  const subject = kind === 'enhancement' ? `${enhancementId}:` : kind === 'grant' ? 'month:' : `${reference}:`;
  const deeds = entries.map((entry) => `${entry.credits} ${words[entry.kind]}`).join(', ');
  const why = unchanged ? '; nothing to change' : '';
  return `${at}  ${signed(change).padStart(8)}  ${String(remaining).padStart(10)} left  ${subject} ${deeds}${why}`;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return Number(text);
}

const UNITS: Record<string, number> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** A number of bytes, with a decimal unit or without one: `500GB`. */
export function byteCount(text: string): number {
  const [, digits, unit] = /^([1-9]\d{0,14})\s?([KMGT]?B|)$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Expected bytes such as 500GB or 500000000000.');
  return Number(digits) * UNITS[unit!.toUpperCase()]!;
}
