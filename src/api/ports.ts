import type { Client } from '@temporalio/client';
import type { AuditEntry } from '../domain/accounts/audit.ts';
import type { KeyPowers } from '../domain/accounts/scopes.ts';
import type { Account } from '../domain/accounts/account.ts';
import type { AuditRequest, NewAuditEntry } from '../database/accounts/audit-log.ts';
import type { IdempotencyClaim } from '../database/uploads/idempotency-keys.ts';
import type { Page, PageRequest } from '../database/page.ts';
import type { CreditBalance, LedgerEntry } from '../domain/accounts/credits.ts';
import type { DeliveryAttempt, LoggedDelivery } from '../domain/events/delivery.ts';
import type { Enhancement } from '../domain/enhancement/enhancement.ts';
import type { EventKind, WebhookEvent } from '../domain/events/events.ts';
import type { MediaType } from '../domain/upload/media.ts';
import type { EnhancedPdfImage, PdfImageList } from '../domain/upload/preview.ts';
import type { Upload, UploadStatus } from '../domain/upload/upload.ts';

/*
 * What the gateway needs of the rooms below it, and no more: the composition root hands in the real parts, whose
 * types fit these.
 */

/** Starts workflows and sends them updates. */
export type TemporalClient = Pick<Client, 'withDeadline'> & {
  workflow: Pick<Client['workflow'], 'start' | 'getHandle'>;
};

export interface Accounts {
  get(id: string): Promise<Account | undefined>;
}

/** Who stands behind a key or a session. */
export interface KeyHolder extends KeyPowers {
  account: Account;
  keyId: string;
}

export interface ApiKey extends KeyPowers {
  id: string;
  name: string;
  /** The first characters of the key */
  prefix: string;
  createdAt: string;
  /** To the minute */
  lastUsedAt: string | null;
  /** IP address of the last use */
  lastUsedAddress: string | null;
}

export interface ApiKeys {
  /** Whose key this is, with the account in the same look. @param address IP address that it is used from */
  authenticate(key: string, address?: string): Promise<KeyHolder | undefined>;
  get(accountId: string, id: string): Promise<ApiKey | undefined>;
  /** Oldest first; there are at most `MAX_API_KEYS`. */
  list(accountId: string): Promise<ApiKey[]>;
}

/** Sessions of the dashboard, by the token of their cookie. */
export interface Sessions {
  /** @returns the token */
  open(keyId: string): Promise<string>;
  authenticate(token: string, address?: string): Promise<KeyHolder | undefined>;
  close(token: string): Promise<void>;
  /** @returns how many were over */
  purge(): Promise<number>;
}

/** Tokens that sign in once. */
export interface SignInLinks {
  /** @param lifetimeMs milliseconds that it is good for */
  create(accountId: string, lifetimeMs: number): Promise<{ token: string; expiresAt: string }>;
  /** @returns the token of the session; undefined for a token that is none, or no more */
  redeem(token: string): Promise<{ session: string } | undefined>;
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  events: EventKind[];
  createdAt: string;
  /** Set when the receiver answered 410 */
  disabledAt: string | null;
}

export interface WebhookEndpoints {
  get(accountId: string, id: string): Promise<WebhookEndpoint | undefined>;
  /** Oldest first; there are at most five. */
  list(accountId: string): Promise<WebhookEndpoint[]>;
}

export interface Deliveries {
  get(accountId: string, id: string): Promise<LoggedDelivery | undefined>;
  /** @throws Failure BAD_USER_INPUT for a cursor that is not valid */
  list(accountId: string, request: PageRequest & { endpointId?: string }): Promise<Page<LoggedDelivery>>;
  /** The attempts of each of these deliveries, in order */
  attempts(accountId: string, ids: readonly string[]): Promise<Map<string, DeliveryAttempt[]>>;
  /** Enters a delivery that repeats another one, once for each id. */
  recordRedelivery(accountId: string, id: string, redeliveryOf: string): Promise<unknown>;
  /** Enters the delivery of an event that is sent to one endpoint on request, once for each id. */
  recordTest(
    accountId: string,
    order: { id: string; endpoint: { id: string; url: string }; event: WebhookEvent },
  ): Promise<unknown>;
}

export interface Uploads {
  /** Writes a state unless the record already holds an equal or higher revision. */
  project(upload: Upload): Promise<unknown>;
  get(accountId: string, id: string): Promise<Upload | undefined>;
  /** The enhancements oldest first */
  getWithEnhancements(
    accountId: string,
    id: string,
  ): Promise<{ upload: Upload; enhancements: Enhancement[] } | undefined>;
  /** By id; what is unknown or of another account is left out. */
  getMany(accountId: string, ids: readonly string[]): Promise<Map<string, Upload>>;
  /** Of whatever account: for our own use, never for a caller's id. */
  find(id: string): Promise<Upload | undefined>;
  /** @throws Failure BAD_USER_INPUT for a cursor that is not valid */
  list(accountId: string, request: PageRequest & { status?: UploadStatus; search?: string }): Promise<Page<Upload>>;
}

export interface Enhancements {
  project(enhancement: Enhancement): Promise<unknown>;
  get(accountId: string, id: string): Promise<Enhancement | undefined>;
  listForUpload(accountId: string, uploadId: string): Promise<Enhancement[]>;
  /** By upload, oldest first; of more than 100 in one upload the newest 100 */
  listForUploads(accountId: string, uploadIds: readonly string[]): Promise<Map<string, Enhancement[]>>;
  list(accountId: string, request: PageRequest): Promise<Page<Enhancement>>;
}

/** One change of a record, as the feed keeps it; `seq` rises within an upload. */
export type Change = { seq: number; revision: number; at: string; subjectId: string; sentence: string | null } & (
  { subject: 'upload'; snapshot: Upload } | { subject: 'enhancement'; snapshot: Enhancement }
);

export interface Changes {
  /** Changes after `seq`, oldest first. */
  listSince(accountId: string, uploadId: string, seq: number, limit: number): Promise<Change[]>;
  /** Drops what happened before a moment (ISO 8601) to uploads that have been deleted. */
  purge(before: string): Promise<number>;
}

export interface CreditLedger {
  balance(accountId: string, nowMs: number): Promise<CreditBalance>;
  /** @throws Failure BAD_USER_INPUT for a cursor that is not valid */
  entries(accountId: string, request: PageRequest): Promise<Page<LedgerEntry>>;
}

/** Intents to write bytes, one an upload: what is left of them tells a sweep what a crash left behind. */
export interface StagedFiles {
  /** @param keepMs milliseconds for which the row is younger than all others */
  add(uploadId: string, objectKey: string, keepMs?: number): Promise<void>;
  remove(uploadId: string): Promise<unknown>;
  /** Some of the rows that were written longer ago than this, oldest first. */
  olderThan(ageMs: number): Promise<{ uploadId: string; objectKey: string }[]>;
}

export interface IdempotencyKeys {
  claim(claim: IdempotencyClaim): Promise<{ outcome: 'new' | 'same' | 'different'; subjectId: string }>;
  /** Forgets keys that have expired. */
  purge(): Promise<number>;
}

/** Who did what, from where and when. */
export interface AuditLog {
  /** What can happen once only is written once, however often it is recorded. */
  record(entry: NewAuditEntry): Promise<void>;
  /** Newest first. @throws Failure BAD_USER_INPUT for a cursor that is not valid */
  list(accountId: string, request: AuditRequest): Promise<Page<AuditEntry>>;
}

/** What a change of an account's own records works with, all within one transaction. */
export interface AccountRecords {
  audit: Pick<AuditLog, 'record'>;
  accounts: { updateRetention(id: string, days: number): Promise<Account> };
  apiKeys: {
    create(accountId: string, name: string, powers?: Partial<KeyPowers>): Promise<{ apiKey: ApiKey; key: string }>;
    remove(accountId: string, id: string): Promise<boolean>;
  };
  webhookEndpoints: {
    create(accountId: string, url: string, events: EventKind[]): Promise<{ endpoint: WebhookEndpoint; secret: string }>;
    get(accountId: string, id: string): Promise<WebhookEndpoint | undefined>;
    rotateSecret(accountId: string, id: string): Promise<{ secret: string }>;
    remove(accountId: string, id: string): Promise<boolean>;
  };
}

export interface AccountChanges {
  /** Claims an idempotency key and carries out a change, both or neither. */
  carryOut<T>(
    claim: Omit<IdempotencyClaim, 'subjectId'> | null,
    change: (records: AccountRecords) => Promise<{ subjectId: string; value: T }>,
  ): Promise<{ outcome: 'new'; value: T } | { outcome: 'same' | 'different'; subjectId: string }>;
}

/** Subscribes to a channel of the database; null says that something may have been missed. */
export type Listen = (channel: string, callback: (payload: string | null) => void) => Promise<() => Promise<void>>;

/** The media type by content; undefined when it is none that the contract knows. */
export type DetectMediaType = (head: Uint8Array) => Promise<MediaType | undefined> | MediaType | undefined;

/** @throws Failure URL_NOT_ALLOWED */
export type AssertAllowedUrl = (url: string) => unknown;

/**
 * Looks at files of strangers for people to see, never in this process: one at a time, each within a time and a memory of
 * its own. Paths are local.
 * @throws Failure with the code that the file gives reason to; NOT_FOUND for an image that a PDF has not
 */
export interface PreviewEngine {
  /** Writes an image as WebP. @param side longest side, pixels; null for the image's own */
  image(input: { inputPath: string; outputPath: string; side: number | null }): Promise<void>;
  /** Writes one image of a PDF, by its object number, as WebP. */
  pdfImage(input: { inputPath: string; outputPath: string; number: number; side: number | null }): Promise<void>;
  listPdfImages(input: { inputPath: string }): Promise<PdfImageList>;
  listEnhancedPdfImages(input: { inputPath: string; resultPath: string }): Promise<PdfImageList<EnhancedPdfImage>>;
  /** Where a new file may be written, which is then moved into storage or removed. */
  newPath(): Promise<string>;
}
