import { constants, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EngineError } from '@burnish/contract/engine';

/** A path that names nothing, or nothing that can exist. */
const NOTHING_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];
/** A file system for reading alone counts as a refusal: a container often has one. */
const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Checks that a file can be read.
 * @param field name of the input that has the path
 * @throws EngineError BAD_USER_INPUT; an error of the file system that is no fault of the caller
 */
export async function checkInputFile(path: string, field = 'inputPath'): Promise<Stats> {
  const found = await statOf(path, field);
  if (found === undefined) throw refusal(field, `There is no file at ${field}. Check the path.`);
  if (found.isDirectory()) throw refusal(field, `${field} is a folder. Name a file.`);
  if (!found.isFile()) throw refusal(field, `${field} is no regular file. Copy it to a file first.`);
  await checkAccess(path, constants.R_OK, field, `This process may not read the file at ${field}.`);
  return found;
}

/**
 * Checks that a result can be written, before any work.
 * @param inputs files that the result must not replace
 * @throws as `checkInputFile`
 */
export async function checkOutputFile(path: string, inputs: readonly Stats[], field = 'outputPath'): Promise<void> {
  const folder = dirname(resolve(path));
  const mayNotWrite = `This process may not write to the folder of ${field}. Choose another folder.`;
  const place = await statOf(folder, field);
  if (place === undefined) throw refusal(field, `The folder of ${field} does not exist. Create it first.`);
  if (!place.isDirectory()) throw refusal(field, `The folder of ${field} is a file. Choose another folder.`);
  await checkAccess(folder, constants.W_OK | constants.X_OK, field, mayNotWrite);
  const found = await statOf(path, field, ['ENOENT']);
  if (found?.isDirectory() ?? /[/\\]$/.test(path)) throw refusal(field, `${field} is a folder. Name a file in it.`);
  if (found === undefined) return;
  if (inputs.some(({ dev, ino }) => dev === found.dev && ino === found.ino))
    throw refusal(field, `${field} is the input itself. Choose another file.`);
  await checkAccess(path, constants.W_OK, field, `This process may not replace the file at ${field}.`);
}

/** @param absent codes for which the result is undefined */
async function statOf(path: string, field: string, absent = NOTHING_THERE): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    if (absent.includes(codeOf(cause))) return undefined;
    if (NOTHING_THERE.includes(codeOf(cause)))
      throw refusal(field, `No file can have the path in ${field}. Choose another one.`, cause);
    if (NOT_ALLOWED.includes(codeOf(cause)))
      throw refusal(field, `This process may not enter the folder of ${field}.`, cause);
    throw cause;
  }
}

async function checkAccess(path: string, mode: number, field: string, detail: string): Promise<void> {
  try {
    await access(path, mode);
  } catch (cause) {
    throw NOT_ALLOWED.includes(codeOf(cause)) ? refusal(field, detail, cause) : cause;
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

const refusal = (field: string, detail: string, cause?: unknown): EngineError =>
  new EngineError('BAD_USER_INPUT', { field, detail, ...(cause !== undefined && { cause }) });
