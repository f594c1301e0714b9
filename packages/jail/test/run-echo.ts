import { faultyPool } from './pool.ts';

/** A separate process with a pool, for tests of its surroundings. */
const pool = faultyPool();
console.log(JSON.stringify(await pool.run('echo', { word: process.argv[2] }, { tenant: 'one' })));
await pool.close();
