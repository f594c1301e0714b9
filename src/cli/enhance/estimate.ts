import { countedRange } from '../../domain/counted.ts';
import { isId } from '../../domain/ids.ts';
import { callJson, type Instance } from '../client/call.ts';
import { ClientError } from '../client/client-error.ts';
import type { EstimateOptions } from './enhance-command.ts';
import { formatBytes } from './enhance-format.ts';
import { readParameters } from './enhance-options.ts';

interface EstimateAnswer {
  credits: number;
  minCredits: number;
  /** Bytes; null if unknown */
  filesize: number | null;
  notes: string[];
}

/**
 * Asks for the price of an enhancement, which is a range where only the work itself shows what needs a change. The instance
 * refuses parameters that do not fit the file.
 * @returns a sentence, or JSON
 * @throws ClientError, UsageError
 */
export async function estimate(instance: Instance, { id, json = false, ...options }: EstimateOptions): Promise<string> {
  if (!isId('upl', id)) throw new ClientError('Expected the id of an upload (upl_…).');
  const { image, pdf } = readParameters(options);
  const body = (): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(JSON.stringify({ ...image.parameters, ...pdf.parameters }));
  const answer = await callJson<EstimateAnswer>(instance, `/v1/uploads/${id}/estimate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (json) return JSON.stringify(answer);
  const { minCredits, credits, filesize, notes } = answer;
  const size = filesize === null ? '' : `, and a result of about ${formatBytes(filesize)}`;
  return [`${countedRange(minCredits, credits, 'credit')}${size}.`, ...notes].join(' ');
}
