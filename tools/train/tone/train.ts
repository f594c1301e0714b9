import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { trainLevels } from './levels.ts';
import { loadPhotographs } from './photographs.ts';
import { trainCasts, trainMiddles } from './shifts.ts';

/**
 * Trains what says how good photographs of a content look: `node --import tsx tools/train/tone/train.ts <photographs> <weights>`. The
 * first folder has the originals of photographs.csv under their names there; what is missing is left out. The same photographs
 * give the same bytes. `--only` trains one part.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    steps: { type: 'string', default: '900' },
    pairs: { type: 'string', default: '2' },
  },
});
const [folder, out] = positionals;
if (folder === undefined || out === undefined)
  throw new Error('Name the folder of the photographs, and that of the weights.');

const photographs = await loadPhotographs(folder);
console.log(`${photographs.length} photographs`);
const parts: Record<string, () => Uint8Array | Float32Array> = {
  casts: () => trainCasts(photographs),
  middles: () => trainMiddles(photographs),
  levels: () => trainLevels(photographs, { copies: 6, steps: Number(values.steps), pairs: Number(values.pairs) }),
};
for (const [name, train] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue;
  const { buffer, byteOffset, byteLength } = train();
  writeFileSync(join(out, `${name}.bin`), new Uint8Array(buffer, byteOffset, byteLength));
}
