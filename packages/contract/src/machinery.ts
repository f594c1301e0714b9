/** Parts of the machinery, and buckets of accounts, whose outage makes work wait, in words. An outage says nothing about the file. */
export const OUTAGES = {
  storage: { missing: 'the storage', sentence: 'Storage does not respond.' },
  database: { missing: 'the database', sentence: 'The database does not respond.' },
  disk: { missing: 'space on the disk', sentence: 'The disk is full.' },
  memory: { missing: 'free memory', sentence: 'The machine lacks memory.' },
  worker: { missing: 'a worker', sentence: 'No worker is available.' },
  bucket: { missing: 'the bucket', sentence: 'The bucket does not respond.' },
} as const;
export type Machinery = keyof typeof OUTAGES;
export const MACHINERY = Object.keys(OUTAGES) as [Machinery, ...Machinery[]];

/** Reasons for which an upload or an enhancement waits: a part of the machinery, the hosted service, credits, a decision or a destination. */
export const WAITING_FOR = [...MACHINERY, 'hosted', 'credits', 'approval', 'destination'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];
