/*
 * All timeouts of activities, in milliseconds. The outer timeout (`startToCloseMs`, Temporal's limit of one attempt) derives
 * from the inner one, so that the inner one ends the work first. Its failure has a code, and a task that loops in the sandbox
 * is not retried.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Limit of the CPU time of one run of a task in the sandbox, of all its threads. */
export const TASK_CPU_MS = {
  /** Decodes an image once, within a second by its header; one that takes longer becomes a large one */
  inspectImage: 4 * SECOND,
  /** Decodes a large image once: the slowest allowed ones take ten seconds */
  inspectLargeImage: MINUTE,
  /** Inspects and enhances an image of quick work, within a second or two */
  quickImage: 10 * SECOND,
  /** The slowest allowed picture with every step takes four minutes on an idle core */
  image: 20 * MINUTE,
  /** Inspects every image of a PDF; 1,000 MB take seconds to minutes */
  inspectPdf: 20 * MINUTE,
  /** Inspects a PDF, and enhances one with little work */
  enhancePdf: 40 * MINUTE,
  /** Takes seconds to a few minutes */
  pdfSpan: 60 * MINUTE,
  assemblePdf: 60 * MINUTE,
} as const;

/** A task that takes this multiple of its CPU time limit by the clock on the wall is starved by its machine. */
export const TASK_WALL_FACTOR = 6;

/** A short task may wait for its share of a busy machine for this long, milliseconds. */
export const TASK_STARVED_MS = MINUTE;

/** Transfer of a file of up to 1,000 MB, over any network. */
export const TRANSFER_MS = 50 * MINUTE;

/**
 * Limit of one attempt to write a result to a destination, which grows with its size at 25 kB/s. A receiver that stalls is then
 * left within minutes for most files.
 * @param size bytes
 */
export const toDestinationMs = (size: number): number => Math.min(TRANSFER_MS, 2 * MINUTE + size / 25);

/** Limit of one call to the hosted service, including the connection and the whole response. */
export const HOSTED_CALL_MS = 30 * SECOND;

export const DELIVERY_TIMEOUT_MS = 15 * SECOND;

/** Maximum wait for a free connection to PostgreSQL, and maximum duration of a statement. Statements take a small fraction of this. */
export const DATABASE_MS = { connection: 5 * SECOND, statement: 30 * SECOND } as const;

/** Limits of one request to the storage service. A connection is idle while the service copies a large object. */
export const STORAGE_REQUEST = { connectionMs: 5 * SECOND, idleMs: 2 * MINUTE, attempts: 3 } as const;

const FILE_HEARTBEAT_MS = 15 * SECOND;

/** Dozens of transfers of an account may wait for a machine outside that never answers. */
const TRANSFER_HEARTBEAT_MS = 20 * SECOND;

/** Shortest interval between two heartbeats of an activity that reach the workflow service, for users that watch the progress. */
export const HEARTBEAT_LEAST_MS = SECOND;

/** Time until a change of the progress is sent, milliseconds. Shorter work of the engine sends none. */
export const PROGRESS_WITHIN_MS = 500;

/**
 * Interval between heartbeats without progress, milliseconds. Hundreds of activities may wait for a machine that never answers, and
 * each heartbeat is a write of the workflow service.
 * @param timeoutMs heartbeat timeout of the activity
 */
export const heartbeatEveryMs = (timeoutMs: number): number => timeoutMs / 2;

export interface ActivityClocks {
  /** Time after which the timeouts inside an attempt end a hung operation */
  innerMs: number;
  startToCloseMs: number;
  /** Time to detect a dead worker; null: the activity sends no heartbeats */
  heartbeatMs: number | null;
}

const DATABASE_WORK_MS = DATABASE_MS.connection + DATABASE_MS.statement;

/** Maximum wait of a step for a permit of its account to write. */
export const RECORD_PERMIT_MS = 10 * SECOND;

/** The time of a hung statement, and of the statements before it. */
const records: ActivityClocks = {
  innerMs: DATABASE_WORK_MS,
  startToCloseMs: RECORD_PERMIT_MS + DATABASE_WORK_MS,
  heartbeatMs: null,
};

const ENGINE_HEARTBEAT_MS = 8 * SECOND;

/** A task of the sandbox. A dead child process is replaced once, so the task may run twice. */
const sandboxedMs = (cpuMs: number): number => 2 * Math.max(TASK_STARVED_MS, TASK_WALL_FACTOR * cpuMs);

/** @param filesMs time to read the file from storage and to store the result */
function engine(cpuMs: number, filesMs = 10 * MINUTE): ActivityClocks {
  const innerMs = sandboxedMs(cpuMs);
  return { innerMs, startToCloseMs: innerMs + filesMs, heartbeatMs: ENGINE_HEARTBEAT_MS };
}

/** Storage: the time of a hung request, and of the requests before it. Files on a disk have no timeout. */
const STORAGE_WORK_MS = STORAGE_REQUEST.attempts * (STORAGE_REQUEST.connectionMs + STORAGE_REQUEST.idleMs);
const storage: ActivityClocks = {
  innerMs: STORAGE_WORK_MS,
  startToCloseMs: STORAGE_WORK_MS + 4 * MINUTE,
  heartbeatMs: FILE_HEARTBEAT_MS,
};

const transfer = (extraMs: number): ActivityClocks => ({
  innerMs: TRANSFER_MS + extraMs,
  startToCloseMs: TRANSFER_MS + extraMs + 10 * MINUTE,
  heartbeatMs: TRANSFER_HEARTBEAT_MS,
});

/** A webhook request runs between two statements. */
const DELIVERY_WORK_MS = DELIVERY_TIMEOUT_MS + 2 * DATABASE_MS.statement;
/** A step of a batch starts up to 50 items, with a few statements and one call of the workflow service each. */
const batch: ActivityClocks = { innerMs: 4 * MINUTE, startToCloseMs: 5 * MINUTE, heartbeatMs: FILE_HEARTBEAT_MS };

/** An attempt whose worker dies is made again within ten seconds. */
const notification: ActivityClocks = {
  innerMs: DELIVERY_WORK_MS,
  startToCloseMs: DELIVERY_WORK_MS + 10 * SECOND,
  heartbeatMs: 8 * SECOND,
};

/** A hung call ends its activity. Two earlier calls may take nearly as long. */
const HOSTED_WORK_MS = 3 * HOSTED_CALL_MS;
const hostedCall: ActivityClocks = {
  innerMs: HOSTED_WORK_MS,
  startToCloseMs: HOSTED_WORK_MS + MINUTE,
  heartbeatMs: null,
};

/** Length of one wait for an ended enhancement. A month of waiting is then a few thousand events. */
export const OPERATION_LOOK_MS = 60 * MINUTE;

/** A proof that work moves fails soon, since nobody waits for its effect. */
const proof: ActivityClocks = { innerMs: 15 * SECOND, startToCloseMs: 17 * SECOND, heartbeatMs: null };

/** The same for a task that no worker takes. */
export const PROOF_QUEUED_MS = 15 * SECOND;

/** Maximum wait of such an image for an engine worker, milliseconds. Its upload waits as long for its own end. */
export const QUICK_IMAGE_QUEUED_MS = 5 * SECOND;

/** Limit of the workflow that proves it, and of the wait for its end. */
export const PROOF_MS = { workflow: 40 * SECOND, answer: 45 * SECOND } as const;

export const CLOCKS = {
  proof,
  records,
  inspectImage: engine(TASK_CPU_MS.inspectImage, MINUTE),
  inspectLargeImage: engine(TASK_CPU_MS.inspectLargeImage, MINUTE),
  storage,
  download: transfer(0),
  /** The storage service copies the file in parts, with one request each */
  takeIncoming: { ...storage, startToCloseMs: STORAGE_WORK_MS + TRANSFER_MS },
  destination: transfer(STORAGE_WORK_MS),
  notification,
  batch,
  estimate: engine(TASK_CPU_MS.inspectPdf),
  enhance: engine(Math.max(TASK_CPU_MS.image, TASK_CPU_MS.enhancePdf)),
  inspectAndEnhance: engine(TASK_CPU_MS.quickImage, MINUTE),
  enhancePdfSpan: engine(TASK_CPU_MS.pdfSpan),
  assemblePdf: engine(TASK_CPU_MS.assemblePdf),
  analyze: engine(TASK_CPU_MS.inspectPdf),
  awaitEnhancement: {
    innerMs: OPERATION_LOOK_MS + DATABASE_WORK_MS,
    startToCloseMs: OPERATION_LOOK_MS + DATABASE_WORK_MS + MINUTE,
    heartbeatMs: FILE_HEARTBEAT_MS,
  },
  /** The command waits for a worker, between statements */
  cancelEnhancement: {
    innerMs: 2 * DATABASE_WORK_MS,
    startToCloseMs: 2 * DATABASE_WORK_MS + 10 * SECOND,
    heartbeatMs: null,
  },
  hostedCall,
  /** Includes the inspection of the returned image */
  hostedTransfer: transfer(HOSTED_WORK_MS + sandboxedMs(TASK_CPU_MS.inspectLargeImage)),
} as const satisfies Record<string, ActivityClocks>;

export function getTimeouts(work: keyof typeof CLOCKS): { startToCloseTimeout: number; heartbeatTimeout?: number } {
  const { startToCloseMs, heartbeatMs }: ActivityClocks = CLOCKS[work];
  return { startToCloseTimeout: startToCloseMs, ...(heartbeatMs === null ? {} : { heartbeatTimeout: heartbeatMs }) };
}
