/** Parts of the machinery that work on a file can wait for. None of them says anything about the file. */
export const MACHINERY = ['storage', 'database', 'disk', 'memory', 'worker'] as const;
export type Machinery = (typeof MACHINERY)[number];

/** What an upload or an enhancement waits for: a part of the machinery, the hosted service, credits or a decision. */
export const WAITING_FOR = [...MACHINERY, 'hosted', 'credits', 'approval'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];
