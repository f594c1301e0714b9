import { Failure } from '../../domain/failures.ts';
import type { PdfFacts } from './facts.ts';
import { readImageFacts } from './image-facts.ts';
import { inspectStructure } from './inspect.ts';
import { openObjectStore } from './object-store.ts';
import type { StoredResult } from './result-file.ts';
import type { Run } from './run.ts';

/**
 * Opens a file that was just written as if it came from a stranger, and checks that it has the pages and images of the original, and
 * that each new image is there at its size, whole.
 * @throws Failure INTERNAL: such a file must not reach anyone
 */
export async function verifyOutput(
  path: string,
  facts: PdfFacts,
  results: readonly StoredResult[],
  run: Run,
): Promise<void> {
  const store = openObjectStore(path);
  try {
    const { pages, found, inline } = await inspectStructure(store, run);
    if (store.xref().rebuilt) throw wrong('the cross-reference data does not hold');
    if (pages !== facts.pages) throw wrong(`there are ${pages} pages for ${facts.pages}`);
    if (found.length + inline !== facts.images)
      throw wrong(`there are ${found.length + inline} images for ${facts.images}`);
    for (const { header } of results) {
      const image = readImageFacts(store, header.number);
      if (image?.width !== header.width || image.height !== header.height)
        throw wrong(`image ${header.number} has another size`);
      const bytes = store.rawLength(image.stream);
      if (store.encryption ? bytes < header.bytes : bytes !== header.bytes)
        throw wrong(`image ${header.number} is not whole`);
    }
  } finally {
    store.close();
  }
}

function wrong(what: string): Failure {
  return new Failure('INTERNAL', { detail: 'The enhanced PDF did not pass its check.', cause: new Error(what) });
}
