import '../setup/quiet-temporal.ts';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { encodeHistory } from './history-file.ts';
import { startLifecycle } from './lifecycle.ts';
import { SCENARIOS } from './scenarios.ts';

/** Takes every scenario for real and writes the histories that the replay test replays. Run after a released change only. */
const folder = fileURLToPath(new URL('../histories/', import.meta.url));
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  // A server of its own: a delivery that outlives its enhancement keeps the test server from skipping time ever after.
  await using lifecycle = await startLifecycle();
  for (const [file, workflowId] of Object.entries(await scenario(lifecycle))) {
    const history = await lifecycle.env.client.workflow.getHandle(workflowId).fetchHistory();
    await writeFile(`${folder}${file}.binpb`, encodeHistory(history));
    process.stdout.write(`${name}: ${file}\n`);
  }
}
