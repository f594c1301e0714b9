/** Workflows and light I/O. */
export const MAIN_TASK_QUEUE = 'burnish';
/** CPU work; polled by engine workers only. */
export const ENGINE_TASK_QUEUE = 'burnish-engine';
