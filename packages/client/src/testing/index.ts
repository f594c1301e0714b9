/** The public interface of `@burnish/client/testing`: Burnish for tests of Temporal workflows, without an instance. */
export type { FakeOutcome } from './course.ts';
export { burnishService } from './fake-service.ts';
export type { EnhanceInput, EstimateInput } from './input.ts';
export { mockEnhance } from './mock-enhance.ts';
export { startFakeBurnish, type FakeBurnish, type FakeOptions } from './start-fake-burnish.ts';
