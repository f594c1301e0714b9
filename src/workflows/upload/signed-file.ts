import { condition, setHandler } from '@temporalio/workflow';
import { counted, Failure, type StoredFile } from '@burnish/contract';
import { incomingKey, originalKey } from '../../domain/files/object-keys.ts';
import { completeUpload, putFile, refuseLongFile } from '../../domain/temporal/workflow-interface.ts';
import type { ArrivedFile, UploadSource } from '../../domain/upload/new-upload.ts';
import { waitUntil } from '../../test-accounts/workflow-clock.ts';
import { adoptFile, takeIncoming } from '../activities.ts';
import { refusal, validated } from '../step.ts';
import type { UploadTracker } from './upload-state.ts';

/**
 * The file of an upload with a signed URL. The upload accepts it once the caller completes the upload. Until then, the file
 * arrives with one PUT through the gateway, or the caller puts it directly into storage.
 */
export interface SignedFile {
  /**
   * Waits until the caller completes the upload or the URL expires, then compares the file with the declared size and type.
   * @throws Failure UPLOAD_MISMATCH; SIGNED_URL_EXPIRED
   */
  wait(): Promise<StoredFile>;
  /** Rejects any further file. Returns when no file is still being moved to the upload's key. */
  close(): Promise<void>;
}

type SignedSource = Extract<UploadSource, { kind: 'signed' }>;

const noLongerAccepted = (): Failure =>
  new Failure('CONFLICT', { detail: 'The upload no longer accepts a file. Create another signed upload.' });

/** Refuses the commands about a signed file, for an upload that waits for none. */
export function refuseSignedFile(): void {
  const refuse = (failure: () => Failure) => (): never => {
    throw refusal(failure());
  };
  const takeNone = refuse(noLongerAccepted);
  const completeNone = refuse(
    () =>
      new Failure('BAD_USER_INPUT', {
        detail: 'The upload has no signed URL to complete. Read its record: it needs no further request.',
      }),
  );
  setHandler(putFile, (_file: ArrivedFile) => takeNone(), { validator: (_file: ArrivedFile) => takeNone() });
  setHandler(refuseLongFile, takeNone, { validator: takeNone });
  setHandler(completeUpload, completeNone, { validator: completeNone });
}

/** Registers the handlers before the first await, so that no command arrives too early. */
export function expectSignedFile(tracker: UploadTracker, { declared, expiresAt, ...source }: SignedSource): SignedFile {
  const { state } = tracker;
  let arrived: ArrivedFile | null = null;
  let adopting = false;
  let completionAsked = false;
  let tooLong = false;
  let closed = false;

  const takesFiles = (): boolean => state.status === 'UPLOAD_PENDING' && !closed;
  const objectKey = originalKey(state.accountId, state.id);
  // The file of a signed URL may have arrived before the loss of an earlier workflow.
  const direct = state.objectKey === null ? undefined : incomingKey(state.accountId, state.id);
  const arrivesAt = source.incomingKey ?? direct;
  const nothingSent = (): Failure =>
    new Failure('CONFLICT', {
      detail: 'No file has been sent to the signed URL yet. Send it, and complete the upload again.',
    });

  /** @param take moves the file to the upload's key; throws when there is no file */
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
    if (!there)
      throw refusal(new Failure('INTERNAL', { detail: 'The file was lost during the upload. Send it again.' }));
    return file;
  }

  async function takeFromStorage(from: string): Promise<ArrivedFile> {
    const file = await takeIncoming({ from, to: objectKey });
    if (file === null) throw refusal(nothingSent());
    // Set first, because the URL may expire at this moment.
    completionAsked = true;
    return file;
  }

  /** @throws Failure CONFLICT when the upload accepts no PUT any more */
  function assertTakesPut(): void {
    if (!takesFiles()) throw noLongerAccepted();
    if (adopting || arrived !== null) {
      throw new Failure('CONFLICT', { detail: 'A file has already been sent to this URL.' });
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
      if (arrivesAt !== undefined) {
        // One command at a time: a repeated command may arrive while the first one is being processed.
        await condition(() => !adopting);
        if (takesFiles() && arrived === null) await adopt(() => takeFromStorage(arrivesAt));
      }
      completionAsked = true;
      await verdict();
      return state;
    },
    {
      validator: validated(() => {
        // In later states the validator accepts the command, which then returns the state after the check.
        if (takesFiles() && arrived === null && !adopting && arrivesAt === undefined) throw nothingSent();
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
      await waitUntil(Date.parse(expiresAt), () => completionAsked || tooLong);
      await close();
      const said = `${counted(declared.size, 'byte')} of ${declared.mimetype}`;
      if (tooLong) {
        throw new Failure('UPLOAD_MISMATCH', { detail: `The declaration was ${said}, but the file is larger.` });
      }
      if (!completionAsked || arrived === null) {
        const detail = `The signed URL expired at ${expiresAt}, before a file was sent to it and completed.`;
        throw new Failure('SIGNED_URL_EXPIRED', { detail });
      }
      const { size, sha256, mimetype } = arrived;
      if (size !== declared.size || mimetype !== declared.mimetype) {
        const came = `${counted(size, 'byte')} of ${mimetype ?? 'a type that is not supported'}`;
        const detail = `The declaration was ${said}, but the file has ${came}.`;
        throw new Failure('UPLOAD_MISMATCH', { detail });
      }
      return { size, sha256, mimetype };
    },
  };
}
