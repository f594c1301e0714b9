export interface QueryRequest {
  kind: 'query';
  id: number;
  session: number;
  /** `begin`: a transaction begins with it; `within`: it runs only inside of this transaction */
  transaction?: 'begin' | 'within' | undefined;
  text: string;
  /** Empty for the simple protocol, which accepts several statements at once */
  values: (string | null)[];
}

/** Requests from the main thread to the database thread. A message holds all requests that were made at once. */
export type Request =
  | QueryRequest
  /** Ends the session and rolls back its open transaction. */
  | { kind: 'release'; session: number }
  | { kind: 'close' };

/** Answers of the database thread. A message holds one or several; the first message holds none. */
export type Answer =
  /** PostgreSQL's reply in the format of its wire protocol */
  | { kind: 'reply'; id: number; bytes: Uint8Array }
  /** The statement was not executed, or its effect may be lost. */
  | { kind: 'unavailable'; id: number; message: string }
  /** Notifications outside of a reply, in the format of the wire protocol */
  | { kind: 'notified'; bytes: Uint8Array };
