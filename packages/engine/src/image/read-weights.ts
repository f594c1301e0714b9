import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../package-folder.ts';

const FOLDER = new URL('models/', PACKAGE_FOLDER);

/** Reads the weights of a small model that no runtime loads: little-endian float32. @param path below the folder of the models */
export function readWeights(path: string): Float32Array {
  const { buffer, byteOffset, byteLength } = readFileSync(fileURLToPath(new URL(path, FOLDER)));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
