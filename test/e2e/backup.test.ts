import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { UploadRecord } from './api.ts';
import { photo } from './files.ts';
import { startInstance } from './instance.ts';
import { testPort } from '../support/test-port.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

test(
  'a copy of the data folder of a stopped instance is a full backup: records, files, credits and lifecycles',
  async () => {
    await using folder = await temporaryFolder();
    const [dataDir, backup, restored] = ['data', 'backup', 'restored'].map((name) => join(folder.path, name));
    const [metricsPort, sdkMetrics] = [String(await testPort()), `127.0.0.1:${await testPort()}`];
    await copyMigratedDatabase(dataDir!);
    await using first = await startInstance({
      dataDir: dataDir!,
      env: { BURNISH_METRICS_PORT: metricsPort, BURNISH_TEMPORAL_METRICS_ADDRESS: sdkMetrics },
    });
    const { body: upload } = await first.api.upload(await photo(), { enhancements: [{ upscalingFactor: 'X2' }] });
    const record = await first.api.settled(upload.id);
    const result = await bytesOf(record.enhancements[0]!.fullUrl!);
    const { body: credits } = await first.api.get('/v1/credits');
    for (const url of [first.url, `http://127.0.0.1:${metricsPort}`]) await expectMetrics(url, sdkMetrics);
    // What has not been decided when the backup is made is decided after it came back.
    const order = { enhancements: [{ upscalingFactor: 'X2', maxCredits: 1 }] };
    const { body: waiting } = await first.api.upload(await photo(2), order);
    expect(await first.stop()).toBe(0);

    await cp(dataDir!, backup!, { recursive: true, preserveTimestamps: true });
    // The machine is lost; another one, with other ports, gets the backup.
    await rm(dataDir!, { recursive: true });
    await cp(backup!, restored!, { recursive: true, preserveTimestamps: true });
    await using second = await startInstance({ dataDir: restored!, apiKey: first.apiKey });
    expect(second.stdout()).not.toMatch(/API key|whsec_/);
    const { body: found } = await second.api.get<UploadRecord>(`/v1/uploads/${upload.id}`);
    expect(found.status).toBe('UPLOAD_FINISHED');
    const again = found.enhancements[0]!;
    expect(await bytesOf(again.fullUrl!.replace(/^http:\/\/[^/]+/, second.url))).toEqual(result);
    expect((await second.api.get('/v1/credits')).body).toEqual(credits);
    // Both lifecycles go on: one takes a command, the other is enhanced once somebody approves.
    expect((await second.api.call('DELETE', `/v1/uploads/${upload.id}`)).status).toBe(202);
    const { id } = (await second.api.get<UploadRecord>(`/v1/uploads/${waiting.id}`)).body.enhancements[0]!;
    expect((await second.api.call('POST', `/v1/enhancements/${id}/approve`)).status).toBe(202);
    expect((await second.api.settled(waiting.id)).enhancements[0]!.status).toBe('FINISHED');
    expect(await second.stop()).toBe(0);
  },
  SEVERAL_STARTS,
);

/** What a whole lifecycle leaves in the figures of the one process, ours and those of the Temporal SDK. */
async function expectMetrics(url: string, sdkMetrics: string): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const beginning of [
    'burnish_uploads{status="UPLOAD_FINISHED"} 1',
    'burnish_enhancements{status="FINISHED"} 1',
    'burnish_activity_schedule_to_start_seconds_count{activity="enhance",task_queue="burnish-engine"} 1',
    'burnish_activity_duration_seconds_count{activity="enhance",outcome="completed"} 1',
    'burnish_engine_task_duration_seconds_count{task="enhance-image",outcome="completed"} 1',
    'burnish_engine_step_duration_seconds_count{task="enhance-image",step="upscale"} 1',
    'burnish_http_request_duration_seconds_count{method="POST",route="/v1/uploads",status="202"} 1',
  ]) {
    expect(text.split('\n')).toContain(beginning);
  }
  const sdk = await (await fetch(`http://${sdkMetrics}/metrics`)).text();
  for (const name of SDK_METRICS) expect(sdk).toContain(`# TYPE ${name} `);
}

/** Those that docs/operations.md names. */
const SDK_METRICS = [
  'temporal_worker_task_slots_available',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
  'temporal_workflow_task_execution_latency_seconds',
  'temporal_sticky_cache_size',
  'temporal_request_total',
];

async function bytesOf(address: string): Promise<Buffer> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}
