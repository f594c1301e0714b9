import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import pLimit from 'p-limit';
import { BurnishError, type NewBatchItem, type Burnish } from '@burnish/client';
import { CommandError } from '../command-error.ts';
import { describeRefusal } from '../describe-error.ts';
import { inspectInput } from '../enhance/enhance-input.ts';
import { filesIn } from '../files-in.ts';
import { printableName } from '../printable.ts';
import type { AddOptions } from './batch-command.ts';

const UPLOADS_AT_ONCE = 4;
/** Items of one request; the files before it are in the batch if the command ends. */
const ITEMS_AT_ONCE = 100;

export interface AddedSources {
  added: number;
  /** Sources that the batch has already */
  repeated: number;
  /** Sentences about files that cannot be sent */
  problems: string[];
}

type Source = { path: string } | NewBatchItem;

/**
 * Uploads files and adds them to a batch, with their paths for keys. A repetition sends only files that the batch does not
 * have; the upload of an unchanged file happens once. Files of a registered bucket follow without a download.
 * @throws BurnishError when the batch refuses an item, or the instance cannot be reached; CommandError
 */
export async function addSources(client: Burnish, options: AddOptions): Promise<AddedSources> {
  const { id, sources, bucket, prefix } = options;
  if (bucket === undefined && (sources.length === 0 || prefix !== undefined))
    throw new CommandError('Name files, folders or addresses, or a registered bucket with --bucket.');
  const known = new Set<string>();
  if (sources.length > 0) {
    for await (const { key } of client.batches.manifest(id)) known.add(key);
  }
  const total: AddedSources = { added: 0, repeated: 0, problems: [] };
  const limit = pLimit(UPLOADS_AT_ONCE);
  let group: Source[] = [];

  async function toItem(source: Source): Promise<NewBatchItem | undefined> {
    if (!('path' in source)) return source;
    const { path } = source;
    const problem = await inspectInput(path);
    if (typeof problem === 'string') return skip(path, problem);
    const { size, mtimeMs } = await stat(path);
    const idempotencyKey = hash([id, path, size, mtimeMs]);
    try {
      const upload = await client.uploads.create(path, { idempotencyKey, priority: 'BATCH' });
      return { uploadId: upload.id, key: path };
    } catch (error) {
      if (error instanceof BurnishError && error.status >= 400 && error.status < 500 && error.status !== 401)
        return skip(path, describeRefusal(error));
      throw error;
    }
  }

  function skip(path: string, reason: string): undefined {
    total.problems.push(`${printableName(path)}: ${reason}`);
  }

  async function send(): Promise<void> {
    const items = await Promise.all(group.map((source) => limit(() => toItem(source))));
    const { added, repeated } = await client.batches.add(
      id,
      items.filter((item) => item !== undefined),
    );
    total.added += added;
    total.repeated += repeated;
    group = [];
  }

  for await (const source of expand(sources)) {
    if ('path' in source && known.has(source.path)) {
      total.repeated += 1;
      continue;
    }
    group.push(source);
    if (group.length === ITEMS_AT_ONCE) await send();
  }
  if (group.length > 0) await send();
  if (bucket !== undefined) {
    const { added, repeated } = await client.batches.addPrefix(id, { bucket, ...(prefix !== undefined && { prefix }) });
    total.added += added;
    total.repeated += repeated;
  }
  return total;
}

async function* expand(sources: readonly string[]): AsyncGenerator<Source> {
  for (const source of sources) {
    if (source === '-') yield* readLines();
    else if (/^https?:\/\//i.test(source)) yield { url: source };
    else if (await isFolder(source)) for await (const { path } of filesIn(source)) yield { path };
    else yield { path: source };
  }
}

/** A line of stdin is an address, or an item as JSON. */
async function* readLines(): AsyncGenerator<NewBatchItem> {
  let number = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    number += 1;
    const text = line.trim();
    if (text === '') continue;
    yield text.startsWith('{') ? parseLine(text, number) : { url: text };
  }
}

function parseLine(text: string, number: number): NewBatchItem {
  try {
    return JSON.parse(text) as NewBatchItem;
  } catch {
    throw new CommandError(`Line ${number} of stdin is not valid JSON. Send an address or one JSON object a line.`);
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

const hash = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
