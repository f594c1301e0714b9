import { faultyPool } from './pool.ts';

/** A separate process with a pool, for tests of its surroundings: runs the task of its argument, and prints what that returns. */
const pool = faultyPool();
const [, , task = '', word] = process.argv;
console.log(JSON.stringify(await pool.run(task, { word }, { tenant: 'one' })));
await pool.close();
