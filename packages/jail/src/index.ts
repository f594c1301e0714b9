export { JailError, type JailErrorCode } from './jail-error.ts';
export { createJailPool, type JailPool, type JailPoolOptions, type RunOptions } from './jail-pool.ts';
export { createChildProgram, type ChildProgram, type ChildProgramOptions } from './child/child-program.ts';
export { removeFolder } from './child/remove-folder.ts';
export { runProgram, type ProgramRun } from './program/run-program.ts';
export { createFairLimiter, type FairLimiter, type FairLimits, type PermitRequest } from './fair-limiter.ts';
export type { ResultCheck, TaskContext, TaskFiles, TaskModule } from './tasks.ts';
export type { FrameLimits } from './channel/frames.ts';
export type { MessageReaders, Progress } from './channel/messages.ts';
export {
  createJail,
  findJail,
  processIsolation,
  works,
  type Jail,
  type JailOptions,
  type SandboxPolicy,
} from './isolation/jail.ts';
export { bubblewrapIsolation } from './isolation/bubblewrap.ts';
export { findProgram, type Command, type Isolation, type MissingPart } from './isolation/isolation.ts';
export type { Mounts } from './isolation/mounts.ts';
export { processTree } from './watch/process-usage.ts';
