import type { BatchItem, AddedBatchItems, Batch, BatchEnhancement } from './types.ts';
import { BurnishError } from './burnish-error.ts';
import { readBytes, readOn } from './continued-body.ts';
import { eachItem, type ListOptions } from './listing.ts';
import type { CallOptions, Transport } from './transport.ts';

export interface NewBatch {
  enhancements: [BatchEnhancement];
  /** Credits of all items together; absent: no limit */
  maxCredits?: number;
  /** Items that run before the approval; 0: no approval. Default 20 */
  samples?: number;
  reference?: string;
}

/**
 * One input: the address of a file, an upload of the account, or a file in a registered bucket. A repeated `key` counts
 * once. The item of a file in a bucket has the key `bucket/key`.
 */
export type NewBatchItem = (
  { url: string; key?: string } | { uploadId: string; key?: string } | { bucket: string; key: string }
) & { reference?: string };

type Options = Pick<CallOptions, 'signal' | 'idempotencyKey'>;

/** Items of one request. Each request repeats on its own. */
const ITEMS_AT_ONCE = 5_000;

/** Many files under one approval. All methods throw BurnishError, or the reason of an aborted signal. */
export class Batches {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(batch: NewBatch, call?: Options): Promise<Batch> {
    return this.#transport.json('POST', '/v1/batches', { ...call, json: batch });
  }

  get(id: string, call?: Options): Promise<Batch> {
    return this.#transport.json('GET', toPath(id), call);
  }

  /** All batches, newest first; pages are read when they are needed. */
  list(options: ListOptions = {}): AsyncGenerator<Batch, void, undefined> {
    return eachItem(this.#transport, '/v1/batches', options);
  }

  /** Adds items, 5,000 a request. Items with a known key change nothing, so the call may be repeated. */
  async add(
    id: string,
    items: Iterable<NewBatchItem> | AsyncIterable<NewBatchItem>,
    { signal }: Options = {},
  ): Promise<AddedBatchItems> {
    const total = { added: 0, repeated: 0 };
    let lines: string[] = [];
    const send = async (): Promise<void> => {
      const body = { open: (): Blob => new Blob(lines), once: false };
      const headers = { 'content-type': 'application/x-ndjson' };
      const path = `${toPath(id)}/items`;
      const { added, repeated } = await this.#transport.json<AddedBatchItems>('POST', path, { body, headers, signal });
      total.added += added;
      total.repeated += repeated;
      lines = [];
    };
    for await (const item of items) {
      lines.push(`${JSON.stringify(item)}\n`);
      if (lines.length === ITEMS_AT_ONCE) await send();
    }
    if (lines.length > 0) await send();
    return total;
  }

  /**
   * Adds the files of a registered bucket whose keys start with a prefix. A repetition adds only missing files.
   * @param files.prefix absent: all files
   */
  addPrefix(id: string, files: { bucket: string; prefix?: string }, call?: Options): Promise<AddedBatchItems> {
    return this.#transport.json('POST', `${toPath(id)}/prefix`, { ...call, json: files });
  }

  /** Ends the adding of items. The samples start. */
  close(id: string, call?: Options): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/close`, call);
  }

  /** Starts the rest after the samples. */
  approve(id: string, call?: Options): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/approve`, call);
  }

  pause(id: string, call?: Options): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/pause`, call);
  }

  /** @param maxCredits a higher budget, which a batch without credits left needs */
  resume(id: string, { maxCredits, ...call }: Options & { maxCredits?: number } = {}): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/resume`, {
      ...call,
      json: maxCredits === undefined ? {} : { maxCredits },
    });
  }

  cancel(id: string, call?: Options): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/cancel`, call);
  }

  /** Tries failed items again, also after the end. @param keys of at most 50 items; absent: all failed ones */
  retry(id: string, { keys, ...call }: Options & { keys?: readonly string[] } = {}): Promise<Batch> {
    return this.#transport.json('POST', `${toPath(id)}/retry`, { ...call, json: keys === undefined ? {} : { keys } });
  }

  /** Items in the order of the requests; pages are read when they are needed. */
  items(
    id: string,
    filter: ListOptions & { state?: BatchItem['state'] } = {},
  ): AsyncGenerator<BatchItem, void, undefined> {
    return eachItem(this.#transport, `${toPath(id)}/items`, filter);
  }

  /**
   * Every input exactly once, with its result, price or error code. After a lost connection it continues with the next input.
   * @param options.samples only the samples
   */
  manifest(
    id: string,
    { signal, samples }: Pick<CallOptions, 'signal'> & { samples?: boolean } = {},
  ): AsyncGenerator<BatchItem, void, undefined> {
    return readOn(this.#transport, {
      open: async (arrived) => {
        const response = await this.#transport.send('GET', `${toPath(id)}/manifest`, { signal, query: { samples } });
        return readItems(readBytes(response, signal), arrived);
      },
      measure: () => 1,
      signal,
    });
  }
}

/** Parses NDJSON after a number of lines. @throws TypeError for a line that was cut off */
async function* readItems(bytes: AsyncIterable<Uint8Array>, skipped: number): AsyncGenerator<BatchItem> {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      number += 1;
      if (number > skipped) yield parseItem(line);
    }
  }
  if (rest !== '') throw new TypeError('The last line has no end.');
}

function parseItem(line: string): BatchItem {
  try {
    return JSON.parse(line) as BatchItem;
  } catch (cause) {
    const sentence = 'A line of the manifest could not be read. Try again.';
    throw new BurnishError(sentence, { code: 'INVALID_RESPONSE', status: 200, cause });
  }
}

const toPath = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`;
