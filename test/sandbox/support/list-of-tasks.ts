import { childProgram } from '../../../src/sandbox/child-program.ts';

/** A list of tasks in this folder, as children of tests load it: `faulty-tasks` */
export const listOfTasks = (name: string): URL => new URL(`${name}.cjs`, childProgram.tasks);
