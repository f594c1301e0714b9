import { randomInt } from 'node:crypto';
import { portTrouble } from '../../src/temporal/port.ts';

/**
 * Above 10,080, which `fetch` refuses, and below the ports that Burnish chooses by itself. Each of Jest's workers has ports of its
 * own.
 */
const FIRST = 10_100;
const EACH = 980;
const WORKERS = 5;

const own = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * EACH;
let last = randomInt(EACH);

/**
 * Returns a free port that neither another test nor Burnish takes before its server listens.
 * @throws Error when all ports of this worker are taken
 */
export async function testPort(): Promise<number> {
  for (let tries = 0; tries < EACH; tries += 1) {
    last = (last + 1) % EACH;
    if ((await portTrouble('127.0.0.1', own + last)) === undefined) return own + last;
  }
  throw new Error(`All ports from ${own} to ${own + EACH - 1} are taken.`);
}
