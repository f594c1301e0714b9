/*
 * Every clock of an activity, stated once, in milliseconds. The outer clock (`startToCloseMs`, Temporal's limit of one attempt)
 * follows from the inner one, so that the inner one ends the work first. Its failure has a code, and a task that hangs in the sandbox
 * is not repeated.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Wall clock of one run of a task in the sandbox. */
export const SANDBOX_MS = {
  /** One decoding of an image; it takes milliseconds to seconds */
  inspectImage: 2 * MINUTE,
  /** The slowest allowed picture with every step takes four minutes of a core that is free */
  image: 20 * MINUTE,
  /** A look at every image of a PDF: 1,000 MB take seconds to minutes */
  inspectPdf: 20 * MINUTE,
  /** The same, and the enhancement of a PDF with little work */
  enhancePdf: 40 * MINUTE,
  /** It takes seconds to a few minutes */
  pdfSpan: 60 * MINUTE,
  assemblePdf: 60 * MINUTE,
} as const;

/** Transfer of a file of up to 1,000 MB, over any network. */
export const TRANSFER_MS = 50 * MINUTE;

/** One call to the hosted service, connecting and the whole answer included. */
export const HOSTED_CALL_MS = 30 * SECOND;

/** Time of a receiver to answer a webhook. */
export const DELIVERY_TIMEOUT_MS = 15 * SECOND;

/** Longest wait for a free connection to PostgreSQL, and longest statement. No statement takes a fraction of this. */
export const DATABASE_MS = { connection: 5 * SECOND, statement: 30 * SECOND } as const;

/** One request to the storage service. A connection is idle while the service copies a large object. */
export const STORAGE_REQUEST = { connectionMs: 5 * SECOND, idleMs: 2 * MINUTE, attempts: 3 } as const;

/** Time between two heartbeats: often enough for people watching. */
export const HEARTBEAT_EVERY_MS = 500;

/** The clocks of an activity. */
export interface ActivityClocks {
  /** Time after which the clocks inside an attempt end work that hangs */
  innerMs: number;
  startToCloseMs: number;
  /** Time in which a dead worker is noticed; null: the activity sends no heartbeats */
  heartbeatMs: number | null;
}

const DATABASE_WORK_MS = DATABASE_MS.connection + DATABASE_MS.statement;

/** Records: time of the statement that hangs, and of those before it. */
const records: ActivityClocks = {
  innerMs: DATABASE_WORK_MS,
  startToCloseMs: DATABASE_WORK_MS + 10 * SECOND,
  heartbeatMs: null,
};

/** A task of the sandbox: a child that dies is replaced once, so the task may take its time twice. */
function sandboxed(taskMs: number, marginMs: number, heartbeatMs: number | null): ActivityClocks {
  const innerMs = 2 * taskMs;
  return { innerMs, startToCloseMs: innerMs + marginMs, heartbeatMs };
}

/** Time for an engine activity to fetch its file from storage and to put its result there. */
const FILES_MS = 10 * MINUTE;
const ENGINE_HEARTBEAT_MS = 8 * SECOND;
const engine = (taskMs: number): ActivityClocks => sandboxed(taskMs, FILES_MS, ENGINE_HEARTBEAT_MS);

const FILE_HEARTBEAT_MS = 10 * SECOND;

/** Storage: time of the request that hangs, and of those before it. Files on a disk have no clock. */
const STORAGE_WORK_MS = STORAGE_REQUEST.attempts * (STORAGE_REQUEST.connectionMs + STORAGE_REQUEST.idleMs);
const storage: ActivityClocks = {
  innerMs: STORAGE_WORK_MS,
  startToCloseMs: STORAGE_WORK_MS + 4 * MINUTE,
  heartbeatMs: FILE_HEARTBEAT_MS,
};

const transfer = (extraMs: number): ActivityClocks => ({
  innerMs: TRANSFER_MS + extraMs,
  startToCloseMs: TRANSFER_MS + extraMs + 10 * MINUTE,
  heartbeatMs: FILE_HEARTBEAT_MS,
});

/** A webhook is sent between two statements. */
const DELIVERY_WORK_MS = DELIVERY_TIMEOUT_MS + 2 * DATABASE_MS.statement;
const notification: ActivityClocks = {
  innerMs: DELIVERY_WORK_MS,
  startToCloseMs: DELIVERY_WORK_MS + 10 * SECOND,
  heartbeatMs: null,
};

/** A call that hangs ends its activity; before it, two others may take nearly as long. */
const HOSTED_WORK_MS = 3 * HOSTED_CALL_MS;
const hostedCall: ActivityClocks = {
  innerMs: HOSTED_WORK_MS,
  startToCloseMs: HOSTED_WORK_MS + MINUTE,
  heartbeatMs: null,
};

/** The clocks of each activity, by its class of work. */
export const CLOCKS = {
  records,
  inspect: sandboxed(SANDBOX_MS.inspectImage, MINUTE, null),
  storage,
  download: transfer(0),
  /** The storage service copies the file in parts, each a request */
  takeIncoming: { ...storage, startToCloseMs: STORAGE_WORK_MS + TRANSFER_MS },
  notification,
  estimate: engine(SANDBOX_MS.inspectPdf),
  enhance: engine(Math.max(SANDBOX_MS.image, SANDBOX_MS.enhancePdf)),
  enhancePdfSpan: engine(SANDBOX_MS.pdfSpan),
  assemblePdf: engine(SANDBOX_MS.assemblePdf),
  analyze: engine(SANDBOX_MS.inspectPdf),
  hostedCall,
  /** With the inspection of the returned image */
  hostedTransfer: transfer(HOSTED_WORK_MS + 2 * SANDBOX_MS.inspectImage),
} as const satisfies Record<string, ActivityClocks>;

/** The clocks of a class of work as Temporal's options. */
export function timeoutsOf(work: keyof typeof CLOCKS): { startToCloseTimeout: number; heartbeatTimeout?: number } {
  const { startToCloseMs, heartbeatMs }: ActivityClocks = CLOCKS[work];
  return { startToCloseTimeout: startToCloseMs, ...(heartbeatMs === null ? {} : { heartbeatTimeout: heartbeatMs }) };
}
