import { workerData } from 'node:worker_threads';
import { serve, type ServedThread } from './serve.ts';

/** Entry point of the database thread. Its work and its syncs to disk do not block the main thread. */
await serve(workerData as ServedThread);
