import { ApiError } from './api-error.ts';

/** The gateway accepts a change with a cookie only if this header is present; a page of another origin cannot send it. */
export const SESSION_HEADER = { 'x-burnish-session': '1' } as const;

export interface Call {
  body?: unknown;
  signal?: AbortSignal;
  /** Idempotency key: the change has one effect, however often it is sent; see `once()` */
  idempotencyKey?: string;
}

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Calls the listener when the session ends: the gateway refuses it, or the person signs out. */
export function onSignedOut(listener: Listener): void {
  signedOut.add(listener);
}

export function tellSignedOut(): void {
  for (const listener of signedOut) listener();
}

export const once = (): string => crypto.randomUUID();

/**
 * Calls the gateway with the cookie of the session.
 * @param path such as `/v1/uploads?limit=20`
 * @returns the JSON of the answer; undefined where it has none
 * @throws ApiError with the refusal of the gateway, or if it cannot be reached; AbortError when `signal` is aborted
 */
export async function call<Body>(
  method: string,
  path: string,
  { body, signal, idempotencyKey }: Call = {},
): Promise<Body> {
  const headers: Record<string, string> = { ...SESSION_HEADER, accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({
      status: 0,
      code: 'UNREACHABLE',
      detail: 'Burnish cannot be reached. Check that it is running.',
    });
  }
  if (!response.ok) throw await readApiError(response);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

/** The error of a refused answer, of `call` or of another request. */
export async function readApiError(response: Pick<Response, 'status' | 'text'>): Promise<ApiError> {
  const { status } = response;
  const problem = parse(await response.text());
  if (status === 401) tellSignedOut();
  return new ApiError({
    status,
    code: problem.code ?? 'INTERNAL',
    detail: [problem.detail ?? `Burnish responded with status ${status}.`, problem.remedy].filter(Boolean).join(' '),
    field: problem.field,
  });
}

interface Problem {
  code: ApiError['code'];
  detail: string;
  remedy: string;
  field: string;
}

function parse(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}

export const get = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('GET', path, options);
export const post = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('POST', path, options);
export const patch = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('PATCH', path, options);
export const remove = (path: string, options?: Call): Promise<void> => call<void>('DELETE', path, options);
