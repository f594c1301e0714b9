import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/runtime/version.ts';
import { encodeHistory } from './history-file.ts';
import { startLifecycle } from './lifecycle.ts';
import { SCENARIOS } from './scenarios.ts';

/**
 * Takes every scenario, or those named, for real and writes the histories that the replay test replays. Each file has the
 * version of the code in its name, and files of earlier releases remain.
 */
const folder = fileURLToPath(new URL('../histories/', import.meta.url));
await mkdir(folder, { recursive: true });
const wanted = process.argv.slice(2);
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  // A server of its own: a delivery that outlives its enhancement keeps the test server from skipping time ever after.
  await using lifecycle = await startLifecycle({ cancelsTimers: true });
  for (const [file, workflowId] of Object.entries(await scenario(lifecycle))) {
    const history = await lifecycle.env.client.workflow.getHandle(workflowId).fetchHistory();
    await writeFile(`${folder}${file}-${VERSION}.binpb`, encodeHistory(history));
    process.stdout.write(`${name}: ${file}\n`);
  }
}
