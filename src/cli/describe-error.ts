import { inspect } from 'node:util';
import { BurnishError } from '@burnish/client';
import { Failure } from '@burnish/contract';
import { DatabaseDamaged } from '../database/embedded/damage.ts';
import { listCauses } from '../domain/causes.ts';
import { StartupError } from '../domain/startup-error.ts';
import { CommandError } from './command-error.ts';

/** Why a file cannot be written, by the code of the file system. */
export const WRITE_REASONS: Record<string, string> = {
  EACCES: 'this user has no write permission there',
  EPERM: 'this user has no write permission there',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'a file exists at the path of the folder',
  EEXIST: 'a file exists at the path of the folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports an error',
};

const FREE_SPACE = 'Free some space, or name another folder by BURNISH_DATA_DIR or --out.';
const RAISE_LIMIT = 'Raise the limit, such as by `ulimit -n 4096`.';
/** What to do about such a file; by default, to correct the reason or to choose another folder. */
const WRITE_REMEDIES: Record<string, string> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EMFILE: RAISE_LIMIT,
  ENFILE: RAISE_LIMIT,
  EIO: 'Check the disk.',
};

/**
 * Describes the failure of a command for the terminal. A failure that the user can fix is one sentence; any other is a defect
 * and is shown with its stack.
 */
export function describeError(error: unknown): string {
  if (error instanceof StartupError || error instanceof CommandError || error instanceof Failure) return error.message;
  if (error instanceof BurnishError) return describeRefusal(error);
  const damage = listCauses(error).find((each) => each instanceof DatabaseDamaged);
  if (damage !== undefined) return damage.message;
  const { code, path } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : WRITE_REASONS[code];
  if (code !== undefined && reason !== undefined) {
    const remedy = WRITE_REMEDIES[code] ?? 'Correct that, or name another folder by BURNISH_DATA_DIR or --out.';
    return `${path ?? 'A file in the data folder'} cannot be written: ${reason}. ${remedy}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

/** The sentence of a failed call with its remedy, in terms of the command line. */
export function describeRefusal({ code, message }: BurnishError): string {
  if (code === 'UNAUTHENTICATED') return 'The instance refused the API key. Set a valid key with --api-key.';
  if (code === 'UNREACHABLE') return `${message} \`burnish up\` starts an instance, and --url names another one.`;
  return message;
}
