import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isId } from '../../domain/ids.ts';
import { callersUmask } from '../../process/private-umask.ts';
import { call, type Instance } from '../client/call.ts';
import { ClientError } from '../client/client-error.ts';
import type { ReportOptions } from './report-command.ts';

/**
 * Saves a report. A file of the same name is not replaced.
 * @returns the path of the report
 * @throws ClientError with a sentence
 */
export async function saveReport(instance: Instance, { id, out = `${id}.pdf` }: ReportOptions): Promise<string> {
  const response = await requestReport(instance, `${toReportPath(id)}/report.pdf`);
  if (response.body === null) throw new ClientError('The report is empty.');
  const file = createWriteStream(out, { flags: 'wx', mode: 0o666 & ~callersUmask });
  await pipeline(Readable.fromWeb(response.body as never), file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new ClientError(`The file ${out} exists. Set another path with --out.`);
    await rm(out, { force: true });
    throw new ClientError(`The report cannot be saved as ${out} (${error.code ?? 'unknown reason'}).`);
  });
  return out;
}

/** Attempts for a report that is being made. Each waits for seconds. */
const ATTEMPTS = 60;

/** @throws ClientError when the report is not made in time */
async function requestReport(instance: Instance, path: string): Promise<Response> {
  for (let tries = 0; tries < ATTEMPTS; tries += 1) {
    const response = await call(instance, path);
    if (response.status !== 202) return response;
    await response.body?.cancel();
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 5));
  }
  throw new ClientError('The report is still being made. Ask again later.');
}

function toReportPath(id: string): string {
  if (isId('upl', id)) return `/v1/uploads/${id}`;
  if (isId('enh', id)) return `/v1/enhancements/${id}`;
  throw new ClientError('Expected the id of an upload (upl_…) or of an enhancement (enh_…).');
}
