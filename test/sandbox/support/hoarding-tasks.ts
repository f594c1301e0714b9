import { randomUUID } from 'node:crypto';
import { openSync, readFileSync, readdirSync, readSync, writeFileSync } from 'node:fs';

const child = randomUUID();
const kept: string[] = [];
const descriptors: number[] = [];

/** A task of a compromised decoder: it keeps what it has read in memory, in a file and in an open descriptor. */
export const TASKS = {
  hoard:
    async () =>
    async ({ inputPath }: { inputPath: string }) => {
      const folder = process.env['TMPDIR']!;
      const read = (descriptor: number): string => {
        const buffer = Buffer.alloc(100);
        return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, 100, 0));
      };
      const known = { memory: [...kept], descriptors: descriptors.map(read), files: readdirSync(folder) };
      const content = readFileSync(inputPath, 'utf8');
      kept.push(content);
      descriptors.push(openSync(inputPath, 'r'));
      writeFileSync(`${folder}/kept-${kept.length}`, content);
      return { child, content, known };
    },
};
