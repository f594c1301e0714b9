/** Workflows and light I/O. */
export const MAIN_TASK_QUEUE = 'burnish';
/** CPU work; polled by engine workers only. */
export const ENGINE_TASK_QUEUE = 'burnish-engine';
/** Calls to the hosted service; polled by main workers of instances that have one, at the rate that they agreed on. */
export const HOSTED_TASK_QUEUE = 'burnish-hosted';
