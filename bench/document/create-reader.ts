import { createFairLimiter } from '@burnish/jail';
import { findJail } from '../../src/sandbox/jail.ts';
import { findTextProgram } from '../../src/sandbox/text/text-program.ts';
import { createTextReader, type TextReader } from '../../src/sandbox/text/text-reader.ts';

/** Reads scans by the installed Tesseract, as engine workers do. @param detectsDirection by its data on directions */
export function createReader(detectsDirection: boolean): TextReader {
  const jail = findJail();
  return createTextReader({
    jail,
    limiter: createFairLimiter({ atOnce: 1 }),
    find: async () => {
      const found = await findTextProgram('tesseract', jail);
      return 'missing' in found ? found : { ...found, detectsDirection: detectsDirection && found.detectsDirection };
    },
  });
}
