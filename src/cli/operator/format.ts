import { InvalidArgumentError } from 'commander';
import type { CreditBalance } from '../../domain/accounts/credits.ts';

export function balanceLines({ period, granted, used, reserved, remaining }: CreditBalance): string[] {
  return [
    `Period     ${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`,
    `Granted    ${granted}`,
    `Used       ${used}`,
    `Reserved   ${reserved}`,
    `Remaining  ${remaining}`,
  ];
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return Number(text);
}
