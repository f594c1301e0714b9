import { condition, setHandler } from '@temporalio/workflow';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import { completeUpload, putFile, refuseLongFile } from '../../domain/temporal/workflow-interface.ts';
import { originalKey } from '../../domain/files/object-keys.ts';
import type { ArrivedFile, StoredFile, UploadSource } from '../../domain/upload/upload.ts';
import { adoptFile, takeIncoming } from '../activities.ts';
import { refusal, validated } from '../step-failures.ts';
import type { UploadTracker } from './upload-state.ts';

/**
 * The file of an upload with a signed URL: it counts once the caller says that it is there. Until then it comes by one PUT
 * through the gateway, or lies where the caller has put it in storage.
 */
export interface SignedFile {
  /**
   * Waits for the caller's word, at most until the URL expires, and compares the file with what was declared.
   * @throws Failure UPLOAD_MISMATCH; SIGNED_URL_EXPIRED
   */
  wait(): Promise<StoredFile>;
  /** Takes no file from now on; returns when none is on its way into the upload's place any more. */
  close(): Promise<void>;
}

/** Made before the first await, so that no command comes too early. */
export function expectSignedFile(tracker: UploadTracker, source: UploadSource): SignedFile {
  const { state } = tracker;
  let arrived: ArrivedFile | null = null;
  let adopting = false;
  let completionAsked = false;
  let tooLong = false;
  let closed = false;

  const takesFiles = (): boolean => state.status === 'UPLOAD_PENDING' && !closed;
  const incomingKey = source.kind === 'signed' ? source.incomingKey : undefined;
  const objectKey = originalKey(state.accountId, state.id);
  const nothingSent = (): Failure =>
    new Failure('BAD_USER_INPUT', { detail: 'No file has been sent to the signed URL yet.' });

  /** @param take brings the file to its place; throws when there is none */
  async function adopt(take: () => Promise<ArrivedFile>): Promise<void> {
    adopting = true;
    try {
      const file = await take();
      arrived = file;
      await tracker.move({ objectKey }, `A file of ${counted(file.size, 'byte')} has arrived.`);
    } finally {
      adopting = false;
    }
  }

  async function takeOver(file: ArrivedFile): Promise<ArrivedFile> {
    const there = await adoptFile({ from: file.objectKey, to: objectKey });
    if (!there) throw refusal(new Failure('INTERNAL', { detail: 'The file was lost on its way; send it again.' }));
    return file;
  }

  async function takeFromStorage(from: string): Promise<ArrivedFile> {
    const file = await takeIncoming({ from, to: objectKey });
    if (file === null) throw refusal(nothingSent());
    // Set before anything else goes on: the URL may expire in this moment.
    completionAsked = true;
    return file;
  }

  /** @throws Failure BAD_USER_INPUT when no PUT can change the upload any more */
  function assertTakesPut(): void {
    if (!takesFiles()) throw new Failure('BAD_USER_INPUT', { detail: 'The upload takes no file any more.' });
    if (adopting || arrived !== null) {
      throw new Failure('BAD_USER_INPUT', { detail: 'A file has been sent to this address already.' });
    }
  }

  const verdict = (): Promise<void> =>
    condition(() => state.status !== 'UPLOAD_PENDING' && state.status !== 'UPLOAD_PROCESSING');

  setHandler(
    putFile,
    async (file) => {
      await adopt(() => takeOver(file));
      return state;
    },
    { validator: validated((_file: ArrivedFile) => assertTakesPut()) },
  );

  setHandler(
    refuseLongFile,
    async () => {
      tooLong = true;
      closed = true;
      await verdict();
      return state;
    },
    { validator: validated(assertTakesPut) },
  );

  setHandler(
    completeUpload,
    async () => {
      if (incomingKey !== undefined) {
        // One at a time: a second word of the caller may come while the first is being looked into.
        await condition(() => !adopting);
        if (takesFiles() && arrived === null) await adopt(() => takeFromStorage(incomingKey));
      }
      completionAsked = true;
      await verdict();
      return state;
    },
    {
      validator: validated(() => {
        if (source.kind !== 'signed') {
          throw new Failure('BAD_USER_INPUT', { detail: 'The upload has no signed URL to complete.' });
        }
        // Later the command is fulfilled, one way or the other, and is answered with what became of it.
        if (takesFiles() && arrived === null && !adopting && incomingKey === undefined) throw nothingSent();
      }),
    },
  );

  async function close(): Promise<void> {
    closed = true;
    await condition(() => !adopting);
  }

  return {
    close,
    async wait() {
      if (source.kind !== 'signed') throw new TypeError('Only an upload with a signed URL is pending.');
      const { declared, expiresAt } = source;
      await condition(() => completionAsked || tooLong, Math.max(1, Date.parse(expiresAt) - Date.now()));
      await close();
      const said = `${counted(declared.size, 'byte')} of ${declared.mimetype}`;
      if (tooLong) {
        throw new Failure('UPLOAD_MISMATCH', { detail: `Declared were ${said}, but the file that came has more.` });
      }
      if (!completionAsked || arrived === null) {
        const detail = `The signed URL expired at ${expiresAt}, before a file was sent to it and completed.`;
        throw new Failure('SIGNED_URL_EXPIRED', { detail });
      }
      const { size, sha256, mimetype } = arrived;
      if (size !== declared.size || mimetype !== declared.mimetype) {
        const came = `${counted(size, 'byte')} of ${mimetype ?? 'a type that is not supported'}`;
        const detail = `Declared were ${said}, but the file has ${came}.`;
        throw new Failure('UPLOAD_MISMATCH', { detail });
      }
      return { size, sha256, mimetype };
    },
  };
}
