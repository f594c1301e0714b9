import { BurnishError } from './burnish-error.ts';
import { Enhancements, type EnhancementOrder } from './enhancements.ts';
import { withContinuedBody } from './continued-body.ts';
import type { FileSource } from './file-source.ts';
import type { UploadEvent } from './follow-upload.ts';
import { eachItem, type ListOptions } from './listing.ts';
import { sleep, Transport, type CallOptions, type Method } from './transport.ts';
import type { Credits, Enhancement, LedgerLine, Listing, UploadWithEnhancements, UsageDay } from './types.ts';
import { Uploads, type BucketSource, type FileUploadOptions } from './uploads.ts';
import { Batches } from './batches.ts';
import { Looks } from './looks.ts';
import { Presets } from './presets.ts';
import { Webhooks } from './webhooks.ts';
import { workError } from './work-error.ts';

export interface BurnishOptions {
  /** URL of the instance. Default: the environment variable BURNISH_URL, then http://localhost:3000 */
  baseUrl?: string;
  /** Default: the environment variable BURNISH_API_KEY */
  apiKey?: string;
  /** Further headers of each request */
  headers?: Readonly<Record<string, string>>;
  /** Repetitions of a call after a lost connection or a temporary refusal. Default 8, within 11 to 23 s, so a restart of the instance is survived */
  maxRetries?: number;
  /** Replaces the global `fetch`, for a proxy or a test */
  fetch?: typeof fetch;
}

export interface EnhanceOptions extends Omit<FileUploadOptions, 'enhancements'> {
  /** The service has the file: the upload is durable, and has an id */
  onAccepted?: (upload: UploadWithEnhancements) => void;
  onEvent?: (event: UploadEvent) => void;
}

/** A finished enhancement. */
export interface EnhancedFile {
  upload: UploadWithEnhancements;
  enhancement: Enhancement;
  /** The result; its body is a stream */
  download(call?: CallOptions): Promise<Response>;
}

/** Requests for a report that is being made; each names the seconds until the next. */
const REPORT_ATTEMPTS = 60;

/** Milliseconds that a cancellation may take after an abort. */
const CANCEL_MS = 5_000;

/**
 * A client of one instance and one account.
 * @example
 * const burnish = new Burnish({ baseUrl: 'https://burnish.example.com', apiKey });
 * const result = await burnish.enhance('photo.jpg', { upscalingFactor: 'X2' });
 * await writeFile('better.jpg', (await result.download()).body);
 */
export class Burnish {
  readonly uploads: Uploads;
  readonly enhancements: Enhancements;
  readonly looks: Looks;
  readonly presets: Presets;
  readonly batches: Batches;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  constructor(options: BurnishOptions = {}) {
    const { headers = {}, maxRetries = 8 } = options;
    const baseUrl = options.baseUrl ?? environment('BURNISH_URL') ?? 'http://localhost:3000';
    const apiKey = options.apiKey ?? environment('BURNISH_API_KEY');
    if (!/^(https?:\/\/|\/|$)/i.test(baseUrl)) {
      const sentence = `The baseUrl ${baseUrl} has no scheme. Write it as a URL, such as http://localhost:3000.`;
      throw new BurnishError(sentence, { code: 'BAD_USER_INPUT' });
    }
    this.#transport = new Transport({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: { ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }), ...headers },
      maxRetries,
      // A browser refuses a `fetch` that is called as a method.
      fetch: options.fetch ?? ((...call) => fetch(...call)),
    });
    this.uploads = new Uploads(this.#transport);
    this.enhancements = new Enhancements(this.#transport);
    this.looks = new Looks(this.#transport);
    this.presets = new Presets(this.#transport);
    this.batches = new Batches(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
  }

  /** URL of the instance, without a slash at its end */
  get baseUrl(): string {
    return this.#transport.options.baseUrl;
  }

  /**
   * Sends a file, waits for its enhancement, and returns the result. An abort cancels the enhancement.
   * @param order one of the `enhancements` of an order
   * @throws BurnishError with the code of the failure, and with `upload` and `enhancement`; the reason of an aborted signal
   */
  async enhance(
    source: FileSource | URL | BucketSource,
    order: EnhancementOrder = {},
    options: EnhanceOptions = {},
  ): Promise<EnhancedFile> {
    const upload = await this.process(source, order, options);
    const enhancement = upload.enhancements[0];
    if (enhancement?.status !== 'FINISHED') throw workError(upload, enhancement);
    return { upload, enhancement, download: (call) => this.enhancements.download(enhancement.id, call) };
  }

  /**
   * The same, for callers that treat each end alike.
   * @returns the upload with its enhancement, which may have failed or may have been cancelled
   * @throws BurnishError for a refusal of the upload, or an unreachable instance; the reason of an aborted signal
   */
  async process(
    source: FileSource | URL | BucketSource,
    order: EnhancementOrder = {},
    { onAccepted, onEvent, ...options }: EnhanceOptions = {},
  ): Promise<UploadWithEnhancements> {
    const { signal } = options;
    const accepted = await this.uploads.create(source, { ...options, enhancements: [order] });
    onAccepted?.(accepted);
    try {
      for await (const event of this.uploads.follow(accepted.id, { signal })) onEvent?.(event);
    } catch (error) {
      if (signal?.aborted) await this.#cancelAll(accepted.enhancements);
      throw error;
    }
    return await this.uploads.get(accepted.id, { signal });
  }

  credits(call?: CallOptions): Promise<Credits> {
    return this.#transport.json('GET', '/v1/credits', call);
  }

  /**
   * What ended on each day, by API key, oldest day first. Days without an enhancement are absent.
   * @param period first and last day, both inclusive, such as `2026-01-31` in UTC. Default: the last 31 days
   */
  async usage(period: { since?: string; until?: string } = {}, call?: CallOptions): Promise<UsageDay[]> {
    const path = '/v1/usage';
    const { items } = await this.#transport.json<Listing<UsageDay>>('GET', path, { ...call, query: { ...period } });
    return items;
  }

  /** The lines of the ledger, newest first; pages are read when they are needed. */
  creditEntries(options: ListOptions = {}): AsyncGenerator<LedgerLine, void, undefined> {
    return eachItem(this.#transport, '/v1/credits/entries', options);
  }

  /**
   * The report of an upload or of an enhancement, a PDF. Waits while a long report is being made.
   * @param id `upl_…` or `enh_…`
   */
  async report(id: string, call?: CallOptions): Promise<Response> {
    const path = `/v1/${id.startsWith('enh_') ? 'enhancements' : 'uploads'}/${encodeURIComponent(id)}/report.pdf`;
    for (let attempts = 0; attempts < REPORT_ATTEMPTS; attempts += 1) {
      const response = await this.send('GET', path, call);
      if (response.status !== 202) return response;
      await response.body?.cancel();
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 5), call?.signal);
    }
    throw new BurnishError('The report is still being made. Ask again later.', { code: 'UNAVAILABLE', status: 202 });
  }

  /**
   * Any other operation of the REST interface.
   * @param path from the root, such as `/v1/settings`
   * @returns the answer in JSON; undefined for one without a body
   */
  request<Body>(method: Method, path: string, call?: CallOptions): Promise<Body> {
    return this.#transport.json(method, path, call);
  }

  /** The same for an answer other than JSON, such as a report. */
  async send(method: Method, path: string, call?: CallOptions): Promise<Response> {
    return withContinuedBody(this.#transport, await this.#transport.send(method, path, call), call);
  }

  async #cancelAll(enhancements: readonly Enhancement[]): Promise<void> {
    const cancelled = enhancements.map(({ id }) =>
      this.enhancements.cancel(id, { signal: AbortSignal.timeout(CANCEL_MS) }),
    );
    // A stopped instance cannot answer, and an ended enhancement cannot be cancelled: neither is an error here.
    await Promise.allSettled(cancelled);
  }
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
