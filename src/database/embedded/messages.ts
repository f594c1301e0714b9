/** A statement of one session. */
export interface QueryRequest {
  kind: 'query';
  id: number;
  session: number;
  text: string;
  /** Empty: sent by the simple protocol, which takes several statements at once */
  values: (string | null)[];
}

/** What the thread of the callers asks of the thread of the database. */
export type Request =
  | QueryRequest
  /** The session is over. An open transaction of it is rolled back. */
  | { kind: 'release'; session: number }
  | { kind: 'close' };

/** What the thread of the database answers. */
export type Answer =
  | { kind: 'opened' }
  /** What PostgreSQL answered, as its wire protocol has it */
  | { kind: 'reply'; id: number; bytes: Uint8Array }
  /** The statement was not carried out, or its effect may be lost. */
  | { kind: 'unavailable'; id: number; message: string }
  /** Notifications that came with no reply of a caller, as the wire protocol has them */
  | { kind: 'notified'; bytes: Uint8Array };
