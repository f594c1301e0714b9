// A process that is killed in the middle of a put: writes without end below the folder given, and says when it has begun.
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';

const store = await openFilesystemStore(process.argv[2]!);

async function* endless(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(100_000);
  process.stdout.write('writing\n');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield new Uint8Array(1000);
  }
}

await store.put('acc_x/upl_y/original', endless(), { maxBytes: 1e9 });
