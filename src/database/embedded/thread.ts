import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './serve.ts';

/** Entry point of the database thread. */
await serve((workerData as { folder: string }).folder, parentPort!);
