import type { Client } from '@temporalio/client';
import type { Account } from '../domain/account.ts';
import type { CreditBalance } from '../domain/credits.ts';
import type { Enhancement } from '../domain/enhancement.ts';
import type { MediaType } from '../domain/media.ts';
import type { EnhancementParameters } from '../domain/parameters.ts';
import type { Upload, UploadStatus } from '../domain/upload.ts';

/*
 * What the gateway needs of the rooms below it, and no more: the composition root hands in the real parts, whose
 * types fit these.
 */

/** Starts workflows and sends them updates. */
export type TemporalClient = Pick<Client, 'withDeadline'> & {
  workflow: Pick<Client['workflow'], 'start' | 'getHandle'>;
};

export interface PageRequest {
  /** 1 to 100 */
  limit: number;
  /** `nextCursor` of the page before */
  after?: string;
}

/** Newest first. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export interface Accounts {
  get(id: string): Promise<Account | undefined>;
}

export interface ApiKeys {
  authenticate(key: string): Promise<{ accountId: string; keyId: string } | undefined>;
}

export interface Uploads {
  /** Writes a state unless the record already holds an equal or higher revision. */
  project(upload: Upload): Promise<unknown>;
  get(accountId: string, id: string): Promise<Upload | undefined>;
  /** Of whatever account: for our own use, never for a caller's id. */
  find(id: string): Promise<Upload | undefined>;
  /** @throws Failure BAD_USER_INPUT for a cursor that is not valid */
  list(accountId: string, request: PageRequest & { status?: UploadStatus }): Promise<Page<Upload>>;
}

export interface Enhancements {
  project(enhancement: Enhancement): Promise<unknown>;
  get(accountId: string, id: string): Promise<Enhancement | undefined>;
  listForUpload(accountId: string, uploadId: string): Promise<Enhancement[]>;
  list(accountId: string, request: PageRequest): Promise<Page<Enhancement>>;
}

/** One change of a record, as the feed keeps it; `seq` rises within an upload. */
export type Change = { seq: number; revision: number; at: string; subjectId: string } & (
  { subject: 'upload'; snapshot: Upload } | { subject: 'enhancement'; snapshot: Enhancement }
);

export interface Changes {
  /** Changes after `seq`, oldest first. */
  listSince(accountId: string, uploadId: string, seq: number, limit: number): Promise<Change[]>;
}

export interface CreditLedger {
  balance(accountId: string, nowMs: number): Promise<CreditBalance>;
}

/** Intents to write bytes, one an upload: what is left of them tells a sweep what a crash left behind. */
export interface StagedFiles {
  add(uploadId: string, objectKey: string): Promise<unknown>;
  remove(uploadId: string): Promise<unknown>;
  /** Some of the rows that were written longer ago than this, oldest first. */
  olderThan(ageMs: number): Promise<{ uploadId: string; objectKey: string }[]>;
}

export interface IdempotencyClaim {
  accountId: string;
  key: string;
  operation: string;
  fingerprint: string;
  subjectId: string;
}

export interface IdempotencyKeys {
  claim(claim: IdempotencyClaim): Promise<{ outcome: 'new' | 'same' | 'different'; subjectId: string }>;
}

/** Subscribes to a channel of the database; null says that something may have been missed. */
export type Listen = (channel: string, callback: (payload: string | null) => void) => Promise<() => Promise<void>>;

/** The media type by content; undefined when it is none that the contract knows. */
export type DetectMediaType = (head: Uint8Array) => Promise<MediaType | undefined> | MediaType | undefined;

/** @throws Failure URL_NOT_ALLOWED */
export type AssertAllowedUrl = (url: string) => unknown;

/** @throws Failure when the parameters ask for what this instance cannot do */
export type AssertAvailable = (parameters: EnhancementParameters) => void;
