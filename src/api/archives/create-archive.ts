import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { distinctNames } from './distinct-names.ts';

/** A file as it stands in an archive. */
export interface ArchivedFile {
  name: string;
  /** Bytes */
  size: number;
  modifiedAt: Date;
  /** Opens its bytes, at most once. */
  open: () => Promise<Readable>;
}

/** A ZIP that nobody reads yet. */
export interface Archive {
  /** Bytes */
  size: number;
  /** Begins to read the files, and returns the bytes. They fail with the error of a file. */
  read(): Readable;
  /** Closes the file that is being read. */
  close(): void;
}

/**
 * Describes a ZIP of files without compression, as images and PDFs are compressed already. Each file is opened when its turn
 * comes, and nothing is stored.
 */
export async function createArchive(files: readonly ArchivedFile[]): Promise<Archive> {
  const zip = new ZipFile();
  const body = zip.outputStream as Readable;
  zip.on('error', (error: Error) => body.destroy(error));
  let begin: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const names = distinctNames(files.map(({ name }) => name));
  let reading: Readable | undefined;
  let isClosed = false;
  for (const [index, { size, modifiedAt: mtime, open }] of files.entries()) {
    zip.addReadStreamLazy(names[index]!, { size, mtime, compress: false }, (done) => {
      begun.then(open).then(
        (stream) => {
          reading = stream;
          // The caller may have left meanwhile.
          if (isClosed) stream.destroy();
          else done(null, stream);
        },
        (error: unknown) => body.destroy(error as Error),
      );
    });
  }
  // The types lack the argument of the callback.
  const size = await new Promise<number>((resolve) => zip.end(undefined, resolve as () => void));
  return {
    size,
    read() {
      begin();
      return body;
    },
    close() {
      isClosed = true;
      reading?.destroy();
    },
  };
}
