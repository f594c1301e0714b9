// Reads the manifest, and saves each result in results/.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A folder in results/ for any key, such as ../a.jpg, C:\a.jpg or https://example.com/a.jpg */
const folderOf = (key) =>
  join(
    'results',
    ...key
      .split(/[\\/]+/)
      .slice(0, -1)
      .map(asName),
  );
const asName = (part) => part.replace(/^\.+$|[:\0]/g, '_');

for await (const line of createInterface({ input: process.stdin })) {
  const { key, state, errorCode, resultUrl } = JSON.parse(line);
  if (state !== 'FINISHED') {
    console.error(key, state, errorCode);
    continue;
  }
  const folder = folderOf(key);
  await mkdir(folder, { recursive: true });
  const name = basename(decodeURIComponent(new URL(resultUrl).pathname.split('/').at(-1)));
  await writeFile(join(folder, name), Buffer.from(await (await fetch(resultUrl)).arrayBuffer()));
}
