import type { EnhancementStatus } from '@burnish/contract';
import { BurnishError } from './burnish-error.ts';
import { withContinuedBody } from './continued-body.ts';
import { eachItem, type ListOptions } from './listing.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Enhancement, EnhancementParameters, OrderEstimate, Trial } from './types.ts';

/** Where the service writes the result: a presigned PUT URL, or a registered bucket. */
export type DestinationOrder = { url: string } | { bucket: string; key: string };

/** One of the `enhancements` of an order: its parameters, or a preset with those that differ from it; its limits; your own data. */
export interface EnhancementOrder extends EnhancementParameters {
  /** Saved preset: `web` for its latest version, or `web@3` for version 3 */
  preset?: string;
  /** The key in a bucket is a template, such as `orders/{reference}/{name}` */
  destination?: DestinationOrder;
  /** Credits; an estimate above it needs your approval */
  maxCredits?: number;
  /** Seconds to wait for credits; 0 fails at once */
  creditWait?: number;
  priority?: 'STANDARD' | 'BATCH';
  reference?: string;
  customMetadata?: Record<string, unknown>;
}

/** An order of enhancements of an existing upload. */
export interface NewEnhancements {
  /** 1 to 20. Either all are accepted, or none */
  enhancements: EnhancementOrder[];
  /** Credits: that of each enhancement that does not set one */
  maxCredits?: number;
  /** Seconds: that of each enhancement that does not set one */
  creditWait?: number;
}

/** Enhancements to compare before an order, and what to show. */
export interface NewTrial {
  /** 1 to 4 */
  enhancements: (EnhancementParameters & { preset?: string })[];
  /** Centre of the part to show with all its pixels, in parts of width and height; absent: the whole, reduced */
  part?: { x: number; y: number };
  /** Page of a PDF, from 1. Default 1 */
  page?: number;
}

export interface EnhancementFilter extends ListOptions {
  uploadId?: string;
  status?: EnhancementStatus;
  reference?: string;
  /** ISO 8601 */
  createdAfter?: string;
  /** ISO 8601 */
  createdBefore?: string;
}

/** The enhancements of the account. All methods throw BurnishError, or the reason of an aborted signal. */
export class Enhancements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Orders enhancements of an upload: all of them or none. @returns their records, in the given order */
  async create(uploadId: string, order: NewEnhancements, call?: CallOptions): Promise<Enhancement[]> {
    const path = `/v1/uploads/${encodeURIComponent(uploadId)}/enhancements`;
    const options = { ...call, json: order };
    return (await this.#transport.json<{ enhancements: Enhancement[] }>('POST', path, options)).enhancements;
  }

  /** The prices of enhancements, without an order. */
  estimate(uploadId: string, order: NewEnhancements, call?: CallOptions): Promise<OrderEstimate> {
    const path = `/v1/uploads/${encodeURIComponent(uploadId)}/estimate`;
    return this.#transport.json('POST', path, { ...call, json: order });
  }

  /** Shows what enhancements would do, without an order: small pictures as base64. @throws BurnishError RATE_LIMITED when too many wait */
  try(uploadId: string, trial: NewTrial, call?: CallOptions): Promise<Trial> {
    const path = `/v1/uploads/${encodeURIComponent(uploadId)}/trial`;
    return this.#transport.json('POST', path, { ...call, json: trial });
  }

  get(id: string, call?: CallOptions): Promise<Enhancement> {
    return this.#transport.json('GET', `/v1/enhancements/${encodeURIComponent(id)}`, call);
  }

  /** All enhancements that match, newest first; pages are read when they are needed. */
  list(filter: EnhancementFilter = {}): AsyncGenerator<Enhancement, void, undefined> {
    return eachItem(this.#transport, '/v1/enhancements', filter);
  }

  /** Approves an estimate above `maxCredits`. */
  approve(id: string, call?: CallOptions): Promise<Enhancement> {
    return this.#decide(id, 'approve', call);
  }

  /** Rejects an estimate above `maxCredits`; the enhancement fails with APPROVAL_REJECTED. */
  reject(id: string, call?: CallOptions): Promise<Enhancement> {
    return this.#decide(id, 'reject', call);
  }

  /** Cancels an enhancement and releases its credits. @throws BurnishError CONFLICT after another end */
  cancel(id: string, call?: CallOptions): Promise<Enhancement> {
    return this.#decide(id, 'cancel', call);
  }

  /**
   * The result of a finished enhancement. Its body is a stream, which continues after a lost connection.
   * @throws BurnishError NOT_FOUND if the enhancement has no result
   */
  async download(id: string, call?: CallOptions): Promise<Response> {
    // Read afresh, because its URL is signed for a limited time.
    const { fullUrl, status, deletedAt } = await this.get(id, call);
    if (fullUrl === null) {
      const reason = deletedAt === null ? `its status is ${status}` : 'it was deleted with its upload';
      throw new BurnishError(`The enhancement ${id} has no result: ${reason}.`, { code: 'NOT_FOUND' });
    }
    const open = (headers: Record<string, string>): Promise<Response> =>
      this.#transport.getSigned(fullUrl, { ...call, headers: { ...call?.headers, ...headers } });
    return withContinuedBody(this.#transport, await open({}), { reopen: open, signal: call?.signal });
  }

  #decide(id: string, decision: 'approve' | 'reject' | 'cancel', call?: CallOptions): Promise<Enhancement> {
    return this.#transport.json('POST', `/v1/enhancements/${encodeURIComponent(id)}/${decision}`, call);
  }
}
