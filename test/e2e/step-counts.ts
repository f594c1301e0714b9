import { expect } from '@jest/globals';
import { countJobs, type CountedInstance, type JobCounts } from '../support/job-counts.ts';
import { photo } from './files.ts';

/** Files of which the least count is taken: housekeeping may come between, and a pause parts a workflow task in two. */
const FILES = [11, 12, 13, 14, 15];

/** Expects that an image that is enhanced with its upload takes exactly these steps. @param instance without other work */
export async function expectExactSteps(instance: CountedInstance): Promise<void> {
  const files = await Promise.all(FILES.map((seed) => photo(seed)));
  const counts = await countJobs(instance, files);
  const least = (of: (each: JobCounts) => number): number => Math.min(...counts.map(of));
  // Each of them costs every lifecycle: one more wants a reason, and this list says so.
  expect({
    histories: least(({ histories }) => histories),
    eagerStarts: Math.max(...counts.map(({ eagerStarts }) => eagerStarts)),
    localActivities: least(({ localActivities }) => localActivities.length),
    activities: least(({ activities }) => activities.length),
    searchAttributeUpserts: least(({ searchAttributeUpserts }) => searchAttributeUpserts),
    statements: least(({ statements }) => statements.length),
    transactions: least(({ transactions }) => transactions),
  }).toEqual({
    histories: 1,
    eagerStarts: 1,
    localActivities: 3,
    activities: 1,
    // The status, and the mark of a change of the workflow.
    searchAttributeUpserts: 2,
    statements: 9,
    transactions: 0,
  });
  // Two events that come at once may share a task.
  expect(least(({ workflowTasks }) => workflowTasks)).toBeLessThanOrEqual(3);
}
