import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Burnish, BurnishError, type BurnishOptions } from '@burnish/client';
import { isId } from '@burnish/contract';
import { CommandError } from '../command-error.ts';
import { saveFile } from '../save-file.ts';
import type { ReportOptions } from './report-command.ts';

/**
 * Saves a report. A file of the same name is not replaced.
 * @returns the path of the report, or JSON with it
 * @throws BurnishError, CommandError
 */
export async function saveReport(
  instance: BurnishOptions,
  { id, out = `${id}.pdf`, json = false }: ReportOptions,
): Promise<string> {
  if (!isId('upl', id) && !isId('enh', id))
    throw new CommandError('Expected the id of an upload (upl_…) or of an enhancement (enh_…).');
  const response = await new Burnish(instance).report(id);
  if (response.body === null) throw new CommandError('The report is empty. Repeat the command.');
  const source = Readable.fromWeb(response.body as never);
  await saveFile(out, 'refuse', (path) => pipeline(source, createWriteStream(path, { flags: 'wx' }))).catch(
    (error: NodeJS.ErrnoException) => {
      if (error instanceof CommandError || error instanceof BurnishError) throw error;
      throw new CommandError(
        `The report cannot be saved as ${out} (${error.code ?? 'unknown reason'}). Set another path with --out.`,
      );
    },
  );
  return json ? JSON.stringify({ path: out }) : out;
}
