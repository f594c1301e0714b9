import { openDatabase } from '../../src/database/open.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';

/** Commits rows for as long as it lives, and tells of each once it is acknowledged. */
const database = await openDatabase({ dataDir: process.argv[2]! });
const stagedFiles = createStagedFiles(database);
for (let i = 0; ; i += 1) {
  await stagedFiles.add(`upl_${i}`, 'key');
  process.stdout.write(`${i}\n`);
}
