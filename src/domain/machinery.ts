import { listCauses } from './causes.ts';

/** Parts of the machinery, and buckets of accounts, whose outage makes work wait, in words. An outage says nothing about the file. */
export const OUTAGES = {
  storage: { missing: 'the storage', sentence: 'Storage does not respond.' },
  database: { missing: 'the database', sentence: 'The database does not respond.' },
  disk: { missing: 'space on the disk', sentence: 'The disk is full.' },
  memory: { missing: 'free memory', sentence: 'The machine lacks memory.' },
  worker: { missing: 'a worker', sentence: 'No worker is available.' },
  bucket: { missing: 'the bucket', sentence: 'The bucket does not respond.' },
} as const;
export type Machinery = keyof typeof OUTAGES;
export const MACHINERY = Object.keys(OUTAGES) as [Machinery, ...Machinery[]];

/** Reasons for which an upload or an enhancement waits: a part of the machinery, the hosted service, credits, a decision or a destination. */
export const WAITING_FOR = [...MACHINERY, 'hosted', 'credits', 'approval', 'destination'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

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
