/** How a request leaves the house: the caller hands in the one way out that holds to the rules for addresses. */
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
