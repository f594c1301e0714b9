/** The workers of an instance, and the open uploads by the versions that ran their workflows. */
export interface Fleet {
  /** Version and commit of the process that answers */
  version: string;
  processes: PollingWorker[];
  /** Open uploads by version. An upload counts for each version that ran its workflow since it last continued as new */
  uploads: { version: string; open: number }[];
  /** Open uploads that none of these versions has run yet */
  uploadsOfEarlierVersions: number;
  /** Null without the setting BURNISH_WORKER_DEPLOYMENT */
  deployment: WorkerDeployment | null;
}

/** A worker deployment of Temporal: builds that the operator promotes. */
export interface WorkerDeployment {
  name: string;
  /** The newest first */
  builds: DeployedBuild[];
}

export interface DeployedBuild {
  version: string;
  /** `RAMPING`: gets a share of the work beside the current build. `INACTIVE`: gets none */
  state: 'CURRENT' | 'RAMPING' | 'INACTIVE';
  /** Percentage of the workflows that continue on this build */
  share: number;
  /** Open uploads that ran last on this build */
  open: number;
}

/** What a build of a deployment still does. */
export interface BuildWork {
  state: DeployedBuild['state'];
  workers: WorkerTasks[];
}

/** What a worker reported last. */
export interface WorkerTasks {
  taskQueue: string;
  /** Process id and host */
  process: string;
  /** Whether it was about to stop */
  stopping: boolean;
  /** Tasks that it ran */
  tasks: number;
  /** ISO 8601, by the clock of the worker */
  reportedAt: string;
}

/** A worker that polls a task queue. */
export interface PollingWorker {
  taskQueue: string;
  /** Process id and host, such as `1234@host` */
  process: string;
  /** Version of Burnish with its commit; null for a worker that does not name it */
  version: string | null;
  /** ISO 8601 */
  polledAt: string;
}

/** A poll lasts up to 60 seconds. Temporal lists a poller for five minutes after its last one. */
const STOPPED_AFTER_MS = 90_000;

/** Whether a worker polls at a time, in milliseconds. */
export const stillPolls = ({ polledAt }: PollingWorker, time: number): boolean =>
  Date.parse(polledAt) > time - STOPPED_AFTER_MS;
