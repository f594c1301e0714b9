import { buildTemporalPrograms } from './temporal-programs.ts';

/** Builds the programs of a real Temporal cluster before the suites that need them: their tests have time limits. */
await buildTemporalPrograms((sentence) => process.stderr.write(`${sentence}\n`));
