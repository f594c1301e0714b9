import type { EnhancementRepresentation, UploadWithEnhancementsRepresentation } from '@burnish/contract';
import { until } from '../support/until.ts';

export type UploadRecord = UploadWithEnhancementsRepresentation;

export interface Problem {
  status: number;
  code: string;
  detail: string;
  field?: string;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface Call {
  /** An object goes as JSON, bytes and forms as they are */
  body?: object | Uint8Array | FormData;
  headers?: Record<string, string>;
}

/** The REST interface as a stranger uses it: plain HTTP, and nothing of our own client. */
export interface Api {
  call<Body>(method: string, path: string, call?: Call): Promise<Answer<Body>>;
  get<Body>(path: string): Promise<Answer<Body>>;
  /** Sends a file as the request's body; the rest of the order goes into the query */
  upload(
    file: Uint8Array,
    order?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer<UploadRecord>>;
  /** The upload once nothing of it runs or waits any more */
  settled(uploadId: string): Promise<UploadRecord>;
  /** The enhancement once it has one of these states */
  reached(enhancementId: string, ...states: EnhancementRepresentation['status'][]): Promise<EnhancementRepresentation>;
  credits(): Promise<{ used: number; remaining: number; reserved: number }>;
}

export function createApi(url: string, apiKey: string): Api {
  async function call<Body>(method: string, path: string, { body, headers = {} }: Call = {}): Promise<Answer<Body>> {
    const raw = body instanceof Uint8Array || body instanceof FormData;
    const type = raw || body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, url), {
      method,
      headers: { 'x-api-key': apiKey, ...type, ...headers },
      ...(body === undefined ? {} : { body: raw ? (body as FormData) : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
  const get = <Body>(path: string): Promise<Answer<Body>> => call('GET', path);
  return {
    call,
    get,
    upload(file, order = {}, headers = {}) {
      const texts = Object.entries(order).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return call('POST', `/v1/uploads?${new URLSearchParams(texts).toString()}`, {
        body: file,
        headers: { 'content-type': 'application/octet-stream', ...headers },
      });
    },
    settled: (uploadId) =>
      until(async () => {
        const { body } = await get<UploadRecord>(`/v1/uploads/${uploadId}`);
        return isSettled(body) ? body : undefined;
      }),
    reached: (id, ...states) =>
      until(async () => {
        const { body } = await get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
        return states.includes(body.status) ? body : undefined;
      }),
    async credits() {
      const { body } = await get<Record<string, number>>('/v1/credits');
      const { usedCreditsThisPeriod, remainingCreditsThisPeriod, reservedCreditsThisPeriod } = body;
      return {
        used: usedCreditsThisPeriod!,
        remaining: remainingCreditsThisPeriod!,
        reserved: reservedCreditsThisPeriod!,
      };
    },
  };
}

function isSettled({ status, subStatus, enhancements }: UploadRecord): boolean {
  if (status === 'UPLOAD_PENDING' || status === 'UPLOAD_PROCESSING' || subStatus === 'METADATA_ANALYZING') return false;
  return enhancements.every(
    (each) => ['FINISHED', 'ERROR', 'CANCELLED'].includes(each.status) && each.destination?.status !== 'PENDING',
  );
}
