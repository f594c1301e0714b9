/** An answer of any route, or the fault of its connection. */
export interface HttpAnswer {
  /** 0 without an answer */
  status: number;
  /** Parsed JSON; an empty object for anything else */
  body: Record<string, unknown>;
  bytes: Buffer;
}

export interface HttpCall {
  method?: string;
  path: string;
  body?: object | Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Calls the gateways in turn. A fault of the connection is an answer with status 0. */
export function createCaller(urls: readonly string[], apiKey?: string) {
  let turn = 0;
  return async ({ method = 'GET', path, body, headers = {}, signal }: HttpCall): Promise<HttpAnswer> => {
    const url = new URL(path, urls[turn++ % urls.length]);
    const isRaw = body instanceof Uint8Array;
    const all = {
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...(body === undefined ? {} : { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    };
    try {
      const response = await fetch(url, {
        method,
        headers: all,
        ...(body === undefined ? {} : { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, bytes, body: parse(bytes, response.headers.get('content-type')) };
    } catch {
      return { status: 0, bytes: Buffer.alloc(0), body: {} };
    }
  };
}

export type Caller = ReturnType<typeof createCaller>;

function parse(bytes: Buffer, type: string | null): Record<string, unknown> {
  if (type?.includes('json') !== true) return {};
  return JSON.parse(bytes.toString()) as Record<string, unknown>;
}
