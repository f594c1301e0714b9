import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isId } from '../../domain/ids.ts';
import { callersUmask } from '../../process/private-umask.ts';
import { Burnish, type BurnishOptions } from '../../client/burnish.ts';
import { CommandError } from '../command-error.ts';
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
  const file = createWriteStream(out, { flags: 'wx', mode: 0o666 & ~callersUmask });
  await pipeline(Readable.fromWeb(response.body as never), file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CommandError(`The file ${out} exists. Set another path with --out.`);
    await rm(out, { force: true });
    throw new CommandError(
      `The report cannot be saved as ${out} (${error.code ?? 'unknown reason'}). Set another path with --out.`,
    );
  });
  return json ? JSON.stringify({ path: out }) : out;
}
