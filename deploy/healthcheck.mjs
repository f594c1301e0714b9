// Whether this container works. A gateway says so itself; a worker has no port, and lives as long as its process does.
import { readFileSync } from 'node:fs';

const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
const serves = words.includes('gateway') || words.includes('up');
if (serves) {
  const answer = await fetch(`http://127.0.0.1:${process.env.BURNISH_PORT ?? 3000}/healthz`);
  process.exitCode = answer.ok ? 0 : 1;
}
