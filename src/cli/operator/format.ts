import { type CreditBalance, type LedgerLine, counted } from '@burnish/contract';

export function balanceLines({ period, granted, used, reserved, remaining }: CreditBalance): string[] {
  return [
    `Period     ${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`,
    `Granted    ${granted}`,
    `Used       ${used}`,
    `Reserved   ${reserved}`,
    `Remaining  ${remaining}`,
  ];
}

/** What a top-up did, and the balance after it. */
export function topUpLines(
  credits: number,
  reference: string,
  { added, balance }: { added: boolean; balance: CreditBalance },
): string[] {
  const said = added
    ? `Added ${counted(credits, 'credit')}.`
    : `Nothing was added: ${reference} has already been used, for ${counted(credits, 'credit')}.`;
  return [said, ...balanceLines(balance)];
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
