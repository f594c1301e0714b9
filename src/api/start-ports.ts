import type { IdempotencyClaim } from '../database/uploads/idempotency-keys.ts';
import type { Enhancement } from '../domain/enhancement/enhancement.ts';
import type { Upload } from '../domain/upload/upload.ts';
import type { UploadInput } from '../domain/temporal/workflow-inputs.ts';

/** What the start of an upload's workflow is made from, besides its record. */
export type StartInput = Omit<UploadInput, 'initial'>;

/** Starts that have been promised: records and a note before the workflow is there. */
export interface UploadStarts {
  /** All of it at once, and nothing of it a second time */
  record(start: {
    upload: Upload;
    enhancements: readonly Enhancement[];
    input: StartInput;
    claim: IdempotencyClaim | null;
  }): Promise<unknown>;
  /** Notes that the caller was told of a failure, or, with false, has asked again. @returns undefined without a note */
  refuse(uploadId: string, refused: boolean): Promise<StartInput | undefined>;
  inputs(uploadIds: readonly string[]): Promise<Map<string, StartInput>>;
  /** Uploads whose start was refused longer ago than this, milliseconds */
  refusedBefore(ageMs: number): Promise<string[]>;
  /** Takes back records of a refused start that nothing has come of. @returns whether they were there */
  withdraw(uploadId: string): Promise<boolean>;
  /** Forgets notes that are of no use any more. */
  purge(): Promise<number>;
}

/** Jobs that one gateway at a time does. */
export interface Leases {
  /** @returns whether it is the holder's for so many milliseconds */
  take(name: string, holder: string, forMs: number): Promise<boolean>;
  release(name: string, holder: string): Promise<unknown>;
}
