import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where a process number means what it means here: the machine, and on Linux the namespace of its process numbers, since
 * containers may share a machine's name and a folder. 16 hexadecimal digits.
 */
export const thisHost = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 16);

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
