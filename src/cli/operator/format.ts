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
  const movements = entries.map((entry) => `${entry.credits} ${words[entry.kind]}`).join(', ');
  const why = unchanged ? '; nothing to change' : '';
  return `${at}  ${signed(change).padStart(8)}  ${String(remaining).padStart(10)} left  ${subject} ${movements}${why}`;
}
