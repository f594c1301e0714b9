import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for another text */
export function parsePositiveInteger(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return Number(text);
}

/** @throws InvalidArgumentError for another text */
export function parseNonNegativeInteger(text: string): number {
  if (!/^(0|[1-9]\d{0,9})$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return Number(text);
}

const UNITS: Record<string, number> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** A number of bytes, with a decimal unit or without one: `500GB`. @throws InvalidArgumentError for another text */
export function parseByteCount(text: string): number {
  const [, digits, unit] = /^([1-9]\d{0,14})\s?([KMGT]?B|)$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Expected bytes such as 500GB or 500000000000.');
  return Number(digits) * UNITS[unit!.toUpperCase()]!;
}
