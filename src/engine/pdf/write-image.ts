import { readFileSync } from 'node:fs';
import { openByteSource } from './byte-source.ts';
import { replacedDict } from './image-dict.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfStream } from './objects.ts';
import type { Output } from './output.ts';
import type { StoredResult } from './result-file.ts';
import { serialize } from './serialize.ts';

/** Writes an image object with its new data, encrypted with the document's key where the document is. */
export function writeImageObject(output: Output, store: ObjectStore, stream: PdfStream, result: StoredResult): void {
  const head = (length: number): void => {
    output.write(
      `${stream.number} ${stream.generation} obj\n${serialize(replacedDict(store, stream, result.header, length))}\nstream\n`,
    );
  };
  if (store.encryption) {
    const plain = readFileSync(result.path).subarray(result.dataStart);
    const data = store.encryption.encryptStream(plain, stream.number, stream.generation, result.header.sha256);
    head(data.length);
    output.write(data);
  } else {
    const source = openByteSource(result.path);
    try {
      head(result.header.bytes);
      output.copy(source, result.dataStart, result.header.bytes);
    } finally {
      source.close();
    }
  }
  output.write('\nendstream\nendobj\n');
}
