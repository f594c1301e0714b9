/** The public interface of `@burnish/client/testing`: Burnish for tests of Temporal workflows, without an instance. */
export type { FakeOutcome } from './course.ts';
export type { FakeEnhancements } from './fake-enhancements.ts';
export { startFakeBurnish, type FakeBurnish, type FakeOptions } from './start-fake-burnish.ts';
