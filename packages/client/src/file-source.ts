import { BurnishError } from './burnish-error.ts';

/** A file: a path on the disk (Node.js, Deno, Bun), its bytes, or a stream of them. */
export type FileSource =
  string | Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file that is ready to be sent. */
export interface FileContent {
  filename: string;
  /** Bytes with a known length, which can be sent again; otherwise a stream, which can be sent once */
  bytes: Blob | ReadableStream<Uint8Array>;
}

/**
 * Opens a file for its upload. A path is read while it is sent, so memory does not grow with the file.
 * @param filename takes precedence over the name of a path or of a `File`
 * @throws BurnishError BAD_USER_INPUT for a path without a readable file, and for bytes without a name
 */
export async function openSource(source: FileSource, filename?: string): Promise<FileContent> {
  if (typeof source === 'string') return { filename: filename ?? baseName(source), bytes: await openPath(source) };
  const bytes = toBytes(source);
  const name = filename ?? (source instanceof Blob && 'name' in source ? String(source.name) : undefined);
  if (name === undefined) throw badSource('The file has no name. Set the option `filename`, such as "photo.jpg".');
  return { filename: name, bytes };
}

function toBytes(source: Exclude<FileSource, string>): FileContent['bytes'] {
  if (source instanceof Blob || source instanceof ReadableStream) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return new Blob([source] as ArrayBuffer[]);
  // Callers in JavaScript pass anything.
  const iterate = (source as AsyncIterable<Uint8Array> | null | undefined)?.[Symbol.asyncIterator];
  if (iterate === undefined) throw badSource('Expected a path, a URL, a Blob, bytes or a stream of bytes.');
  const iterator = iterate.call(source);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

interface FileSystem {
  openAsBlob(path: string): Promise<Blob>;
  statSync(path: string, options: { throwIfNoEntry: false }): { isDirectory(): boolean } | undefined;
}

async function openPath(path: string): Promise<Blob> {
  // Not an import, because bundlers for browsers refuse it.
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => FileSystem } };
  const files = process?.getBuiltinModule?.('node:fs');
  if (files === undefined) throw badSource('A page cannot read a path. Pass a File or its bytes.');
  try {
    if (!files.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return await files.openAsBlob(path);
  } catch (cause) {
    throw badSource(`The file ${path} cannot be read. Check its path and permissions.`, cause);
  }
  throw badSource(`${path} is a folder. Pass the path of one of its files.`);
}

const baseName = (path: string): string => path.replace(/^.*[/\\]/s, '');

function badSource(sentence: string, cause?: unknown): BurnishError {
  return new BurnishError(sentence, { code: 'BAD_USER_INPUT', ...(cause === undefined ? {} : { cause }) });
}
