/** The limiter of the jail, for the other work of a process. */
export { createFairLimiter, type FairLimiter } from '@burnish/jail';
