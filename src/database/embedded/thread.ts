import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './serve.ts';

/** The thread of the embedded database, where its work and its syncs to disk hold up nobody else. */
await serve((workerData as { folder: string }).folder, parentPort!);
