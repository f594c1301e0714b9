// Streams a number of bytes into a store and out again, and prints by how many bytes memory grew at its highest.
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';

const store = await openFilesystemStore(process.argv[2]!);
const total = Number(process.argv[3]);
const piece = 64 * 1024;
let baseline = 0;
let highest = 0;

function sample(): void {
  highest = Math.max(highest, process.memoryUsage.rss());
}

async function* body(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < total; sent += piece) {
    // Ten megabytes in: what is needed for any stream at all has been allocated.
    if (baseline === 0 && sent >= 10_000_000) baseline = process.memoryUsage.rss();
    sample();
    yield Buffer.alloc(Math.min(piece, total - sent), sent & 255);
  }
}

const signal = new AbortController().signal;
const { size } = await store.put('acc_x/upl_y/original', body(), { maxBytes: total, signal });
let read = 0;
for await (const chunk of await store.get('acc_x/upl_y/original')) {
  read += (chunk as Buffer).byteLength;
  sample();
}
process.stdout.write(JSON.stringify({ size, read, growth: highest - baseline }));
