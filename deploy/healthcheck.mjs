// Whether what runs in this container does its part: a gateway answers, a worker can reach what it works with.
import { readFileSync } from 'node:fs';

const { BURNISH_PORT, BURNISH_METRICS_PORT } = process.env;
const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
const isGateway = words.includes('gateway') || words.includes('up');
const url = isGateway
  ? `http://127.0.0.1:${BURNISH_PORT || 3000}/healthz`
  : `http://127.0.0.1:${BURNISH_METRICS_PORT}/readyz`;
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  console.log(`${url} answers ${answer.status}: ${await answer.text()}`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(`${url} does not answer (${error.cause?.code ?? error.name}).`);
  process.exitCode = 1;
}
