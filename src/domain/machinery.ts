/** Parts of the machinery that work on a file can wait for. None of them says anything about the file. */
export const MACHINERY = ['storage', 'database', 'disk', 'memory', 'worker'] as const;
export type Machinery = (typeof MACHINERY)[number];

/** What an upload or an enhancement waits for: a part of the machinery, the hosted service, credits or a decision. */
export const WAITING_FOR = [...MACHINERY, 'hosted', 'credits', 'approval'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

/** Parts of the machinery whose errors are recognised. */
export type FailedMachinery = Extract<Machinery, 'disk' | 'storage' | 'database'>;

/** Codes of a full disk: of the file system, and PostgreSQL's SQLSTATE `disk_full` (PostgreSQL's manual, appendix A). */
const FULL_DISK_CODES: readonly string[] = ['ENOSPC', 'EDQUOT', '53100'];

/** Links of a chain of causes that are followed. */
const MAX_CAUSES = 8;

/** Whether an error says that a disk is full, however deep it is wrapped. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some((each) => 'code' in each && FULL_DISK_CODES.includes(String(each.code)));
}

/**
 * The part of the machinery that an error comes from, however deep it is wrapped. Storage and database name themselves in the
 * property `machinery` of their errors.
 * @returns undefined for an error of any other kind
 */
export function failedMachinery(error: unknown): FailedMachinery | undefined {
  if (isDiskFull(error)) return 'disk';
  const parts = causesOf(error).map((each) => ('machinery' in each ? each.machinery : undefined));
  return parts.find((part) => part === 'storage' || part === 'database');
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < MAX_CAUSES; each = each.cause) causes.push(each);
  return causes;
}
