import { setTimeout as delay } from 'node:timers/promises';
import type { Client as Database } from 'pg';
import type { Api } from '../../test/e2e/api.ts';
import { distinct } from '../lifecycle/jobs.ts';

/** Files that are sent and have not ended: more than all workers take at once. */
const IN_WORK = 48;
const LOOK_MS = 100;

export interface Flow {
  /** Keeps as many files in work, each sent to the next gateway, until the condition holds for the number that has ended. */
  until(holds: (ended: number) => boolean): Promise<void>;
  /** Number of enhancements that have ended, as the database shows it */
  ended(): Promise<number>;
}

export function createFlow(database: Database, gateways: readonly Api[], file: Buffer): Flow {
  let sent = 0;

  async function ended(): Promise<number> {
    const { rows } = await database.query<{ finished: number; failed: number }>(
      `select count(*) filter (where status = 'FINISHED')::integer as finished,
        count(*) filter (where status = 'ERROR')::integer as failed from enhancements`,
    );
    const { finished, failed } = rows[0]!;
    if (failed > 0) throw new Error(`${failed} enhancements have failed.`);
    return finished;
  }

  async function send(bytes: Buffer): Promise<void> {
    sent += 1;
    const { status, body } = await gateways[sent % gateways.length]!.upload(bytes, { enhancements: [{}] });
    if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
  }

  return {
    ended,
    async until(holds) {
      for (let done = await ended(); !holds(done); done = await ended()) {
        await Promise.all(distinct(file, IN_WORK - (sent - done)).map(send));
        await delay(LOOK_MS);
      }
    },
  };
}
