/** Sends a request. The caller passes the SSRF-safe HTTP client. */
export type Send = (
  url: string,
  request: {
    method: 'POST';
    body: string;
    headers: Record<string, string>;
    timeoutMs: number;
    maxAnswerBytes: number;
    signal?: AbortSignal;
  },
) => Promise<Sent>;

export type Sent =
  | { kind: 'answered'; status: number; answer: string; retryAfterMs: number | null }
  /** `sent` is false when the request certainly never went out */
  | { kind: 'broken'; sent: boolean; failure: { code: string; message: string } };
