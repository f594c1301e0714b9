import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect } from '@jest/globals';

/** Every history as it is stored: payloads are JSON text, which stands in the encoded message as it is. */
export async function allHistories(port: number): Promise<string> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const client = new Client({ connection });
    let histories = '';
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      histories += Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish()).toString('latin1');
    }
    return histories;
  } finally {
    await connection.close();
  }
}

/** The content of all files of the embedded Temporal server. @param folder its data folder */
export async function allBytes(folder: string): Promise<string> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ name }) => name);
  expect(names).toContain('temporal.sqlite');
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return contents.join('\n');
}
