import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { UploadRecord } from '../e2e/api.ts';
import { photo, picture } from '../e2e/files.ts';
import { until } from '../support/until.ts';
import type { Cluster, GatewayMember, WholeCluster } from './cluster.ts';

/** An enhancement that keeps a core busy for seconds. */
const SLOW = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
const slowPhoto = (seed: number): Promise<Buffer> => picture(1000, 750, { seed }).jpeg({ quality: 85 }).toBuffer();

/** A 202 holds when any process dies. @param opened returns the running cluster */
export function faultTests(opened: () => WholeCluster): void {
  describe('a cluster that loses a process', () => {
    let cluster: Cluster;
    let a: GatewayMember;
    let b: GatewayMember;
    let whole: WholeCluster;
    beforeAll(() => {
      whole = opened();
      ({
        cluster,
        gateways: [a, b],
      } = whole);
    });

    async function sendSlow(seeds: readonly number[]): Promise<UploadRecord[]> {
      const files = await Promise.all(seeds.map(slowPhoto));
      const answers = await Promise.all(files.map((file) => b.api.upload(file, { enhancements: [SLOW] })));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      return answers.map(({ body }) => body);
    }

    async function expectAllFinished(uploads: readonly UploadRecord[]): Promise<void> {
      for (const { id } of uploads) {
        const { enhancements } = await b.api.settled(id);
        expect(enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 4, width: 4000 }]);
      }
    }

    test('an engine worker killed at work: another one continues, and nothing is charged twice', async () => {
      const before = await b.api.credits();
      const uploads = await sendSlow([11, 12]);
      await Promise.all(uploads.map(({ enhancements }) => b.api.reached(enhancements[0]!.id, 'PROCESSING')));
      await whole.engines[0]!.kill();
      await expectAllFinished(uploads);
      expect(await b.api.credits()).toMatchObject({ used: before.used + 8, reserved: 0 });
    });

    test('an engine worker that is stopped at work exits cleanly, and another one continues', async () => {
      const uploads = await sendSlow([13, 14]);
      await Promise.all(
        uploads.map(({ enhancements }) => b.api.reached(enhancements[0]!.id, 'PROCESSING', 'FINISHED')),
      );
      const [, code] = await Promise.all([cluster.startEngine(0), whole.engines[1]!.stop()]);
      expect(code).toBe(0);
      await expectAllFinished(uploads);
    });

    test('a workflow worker killed while an upload waits: the next one continues', async () => {
      const uploads = await sendSlow([15]);
      await whole.main.kill();
      const early = await b.api.upload(await photo(16), { enhancements: [{}] });
      expect(early.status).toBe(202);
      await cluster.startMain();
      await expectAllFinished(uploads);
      expect((await b.api.settled(early.body.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
    });

    test('a gateway that shuts down answers its open requests, and the other one serves all the time', async () => {
      const third = await cluster.startGateway();
      const file = await photo(17);
      const sending = request(`${third.url}/v1/uploads`, {
        method: 'POST',
        headers: {
          'x-api-key': cluster.apiKey,
          'content-type': 'application/octet-stream',
          'content-length': file.byteLength,
          expect: '100-continue',
        },
      });
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
      sending.flushHeaders();
      await once(sending, 'continue');
      sending.write(file.subarray(0, 20_000));
      const stopping = third.stop();
      await until(async () => ((await fetch(`${third.url}/readyz`).catch(() => undefined)) ? undefined : true));
      expect((await fetch(`${cluster.url}/readyz`)).status).toBe(200);
      sending.end(file.subarray(20_000));
      const [response] = await answered;
      expect(response.statusCode).toBe(202);
      response.resume();
      expect(await stopping).toBe(0);
    });

    test('a gateway killed during many uploads: every upload answered with 202 exists and finishes', async () => {
      const files = await Promise.all(Array.from({ length: 40 }, (_, i) => photo(100 + i)));
      const answers = files.map(async (file) => {
        try {
          const { status, body } = await a.api.upload(file, { enhancements: [{}] });
          return status === 202 ? body.id : undefined;
        } catch {
          return undefined;
        }
      });
      await Promise.race(answers);
      await a.kill();
      const accepted = (await Promise.all(answers)).filter((id) => id !== undefined);
      expect(accepted.length).toBeGreaterThan(0);
      for (const id of accepted) {
        expect((await b.api.settled(id)).enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 1 }]);
      }
      // The balancer passes callers to the remaining gateway.
      expect((await cluster.api.get<UploadRecord>(`/v1/uploads/${accepted[0]!}`)).status).toBe(200);
    });
  });
}
