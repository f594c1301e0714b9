import { createWriteStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Burnish, type BurnishOptions, type Batch, type BatchItem, type NewBatch } from '@burnish/client';
import { isId, counted, formatNumber } from '@burnish/contract';
import { CommandError } from '../command-error.ts';
import { printable } from '../printable.ts';
import { existingFile, saveFile } from '../save-file.ts';
import { formatDuration } from '../enhance/enhance-format.ts';
import { assertManyResults, readParameters } from '../enhance/enhance-options.ts';
import type { BatchCall, CreateOptions, ControlOptions, ManifestOptions } from './batch-command.ts';
import { addSources } from './add-sources.ts';

/** Batches that `burnish batch status` lists. */
const LISTED = 20;

export interface BatchAnswer {
  lines: string[];
  /** Sentences about files that are not in the batch */
  problems: string[];
}

/**
 * Carries out a command of `burnish batch`.
 * @throws BurnishError, CommandError
 */
export async function runBatch(instance: BurnishOptions, { name, options }: BatchCall): Promise<BatchAnswer> {
  const client = new Burnish(instance);
  if ('id' in options && !isId('bat', options.id ?? '')) throw new CommandError('Expected the id of a batch (bat_…).');
  if (name === 'add') {
    const { added, repeated, problems } = await addSources(client, options);
    const batch = options.close === true ? await client.batches.close(options.id) : undefined;
    if (options.json === true) return { lines: [JSON.stringify({ added, repeated, problems })], problems };
    const sum = `${counted(added, 'file')} added, ${repeated} already in the batch.`;
    return { lines: [sum, ...(batch === undefined ? [] : describe(batch))], problems };
  }
  if (name === 'manifest') return { lines: await saveManifest(client, options), problems: [] };
  if (name === 'create') {
    const batch = await client.batches.create(toOrder(options));
    return { lines: [options.json === true ? JSON.stringify(batch) : batch.id], problems: [] };
  }
  const shown = name === 'control' ? [await control(client, options)] : await read(client, options.id);
  if (options.json !== true) return { lines: shown.flatMap(describe), problems: [] };
  const isList = name === 'status' && options.id === undefined;
  return { lines: [JSON.stringify(isList ? shown : shown[0])], problems: [] };
}

function toOrder({ maxCredits, samples, reference, ...options }: CreateOptions): NewBatch {
  const given = readParameters(options);
  assertManyResults(given);
  const { destination, ...parameters } = { ...given.image.parameters, ...given.pdf.parameters };
  const enhancement = { ...parameters, ...(destination !== undefined && 'bucket' in destination && { destination }) };
  return {
    enhancements: [enhancement],
    ...(maxCredits !== undefined && { maxCredits }),
    ...(samples !== undefined && { samples }),
    ...(reference !== undefined && { reference }),
  };
}

function control({ batches }: Burnish, { id, verb, maxCredits, key: keys }: ControlOptions): Promise<Batch> {
  if (verb === 'resume') return batches.resume(id, { ...(maxCredits !== undefined && { maxCredits }) });
  return verb === 'retry' ? batches.retry(id, { ...(keys && { keys }) }) : batches[verb](id);
}

async function read({ batches }: Burnish, id: string | undefined): Promise<Batch[]> {
  if (id !== undefined) return [await batches.get(id)];
  const newest: Batch[] = [];
  for await (const batch of batches.list()) {
    newest.push(batch);
    if (newest.length === LISTED) break;
  }
  return newest;
}

/** The state of a batch, and what it waits for. */
function describe(batch: Batch): string[] {
  const {
    id,
    status,
    pauseReason,
    reference,
    counts,
    chargedCredits,
    maxCredits,
    prediction,
    remainingSeconds,
    explanation,
  } = batch;
  const { items, pending, running, finished, failed, cancelled } = counts;
  const name = [id, reference].filter(Boolean).join(' ');
  const limit = maxCredits === null ? '' : ` of at most ${formatNumber(maxCredits)}`;
  const states = Object.entries({ pending, running, finished, failed, cancelled });
  const lines = [
    `${name}: ${[status, pauseReason].filter(Boolean).join(' ')}`,
    `  ${counted(items, 'file')}: ${states.map(([state, number]) => `${formatNumber(number)} ${state}`).join(', ')}`,
    `  ${counted(chargedCredits, 'credit')} charged${limit}`,
  ];
  if (prediction !== null && status === 'APPROVAL_NEEDED') {
    const { credits, seconds, failures } = prediction;
    const time = formatDuration(1000 * seconds);
    lines.push(`  Predicted: ${counted(credits, 'credit')}, ${time}, ${counted(failures, 'failure')} in all.`);
    lines.push(`  \`burnish batch approve ${id}\` starts the rest.`);
  } else if (explanation) lines.push(`  ${explanation.detail} ${explanation.remedy}`);
  if (remainingSeconds !== null) lines.push(`  About ${formatDuration(1000 * remainingSeconds)} left`);
  return lines;
}

/** @returns the path of the file; nothing for standard output */
async function saveManifest(client: Burnish, { id, format, out }: ManifestOptions): Promise<string[]> {
  if (out === undefined) {
    await pipeline(await readManifest(client, id, format), process.stdout, { end: false });
    return [];
  }
  if (existsSync(out)) throw existingFile(out);
  const source = await readManifest(client, id, format);
  return [await saveFile(out, 'refuse', (path) => pipeline(source, createWriteStream(path, { flags: 'wx' })))];
}

/** NDJSON continues after a lost connection. CSV does not, because the client reads no CSV. */
async function readManifest(client: Burnish, id: string, format: ManifestOptions['format']): Promise<Readable> {
  if (format === 'ndjson') return Readable.from(toLines(client.batches.manifest(id)));
  const { body } = await client.send('GET', `/v1/batches/${id}/manifest`, { query: { format } });
  return Readable.fromWeb(body as never);
}

async function* toLines(items: AsyncIterable<BatchItem>): AsyncGenerator<string> {
  for await (const item of items) yield `${printable(JSON.stringify(item))}\n`;
}
