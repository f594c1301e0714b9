import type { Machinery } from '@burnish/contract';
import { listCauses } from './causes.ts';

export type FailedMachinery = Extract<Machinery, 'disk' | 'storage' | 'database'>;

/** Codes of a full disk, from the file system and from PostgreSQL (SQLSTATE `disk_full`; PostgreSQL's manual, appendix A). */
const FULL_DISK_CODES: readonly string[] = ['ENOSPC', 'EDQUOT', '53100'];

/** Whether an error, or any of its causes, reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  return listCauses(error).some((each) => 'code' in each && FULL_DISK_CODES.includes(String(each.code)));
}

/**
 * Finds the part of the machinery that caused an error, through its chain of causes. Storage and database set the property
 * `machinery` on their errors.
 * @returns undefined for any other error
 */
export function failedMachinery(error: unknown): FailedMachinery | undefined {
  if (isDiskFull(error)) return 'disk';
  const parts = listCauses(error).map((each) => ('machinery' in each ? each.machinery : undefined));
  return parts.find((part) => part === 'storage' || part === 'database');
}
