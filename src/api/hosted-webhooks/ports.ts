/** What the hosted service has told by webhook. */
export interface RemoteEvents {
  /** @returns false when it is there already */
  keep(event: KeptEvent): Promise<boolean>;
  /** Forgets one, so that its repetition counts. */
  drop(id: string): Promise<unknown>;
  /** Forgets what is older than a day. */
  purge(): Promise<number>;
}

export interface KeptEvent {
  /** As the service spells it */
  id: string;
  event: string;
  /** The upload or the enhancement that it tells of; null when it does not say */
  remoteId: string | null;
  /** The upload that an enhancement belongs to, where it says so */
  remoteUploadId: string | null;
  /** At most 16 kB */
  body: string;
}

/** Which record of ours has which id at the hosted service. */
export interface RemoteIds {
  find(kind: 'upload' | 'enhancement', remoteId: string): Promise<{ subjectId: string; accountId: string } | undefined>;
}
