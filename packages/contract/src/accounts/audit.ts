export const AUDIT_ACTIONS = {
  'api_key.create': 'Created an API key',
  'api_key.delete': 'Deleted an API key',
  'session.open': 'Signed in',
  'session.close': 'Signed out',
  'sign_in_link.create': 'Created a sign-in link',
  'signing_key.rotate': 'Replaced the signing key of URLs',
  'webhook.create': 'Added a webhook endpoint',
  'webhook.change': 'Changed a webhook endpoint',
  'webhook.disable': 'Disabled a webhook endpoint',
  'webhook.delete': 'Removed a webhook endpoint',
  'webhook.rotate_secret': 'Replaced a webhook secret',
  'webhook.test': 'Sent a test event',
  'webhook.redeliver': 'Sent an event again',
  'webhook.redeliver_failed': 'Sent failed events again',
  'preset.save': 'Saved a preset',
  'preset.delete': 'Deleted a preset',
  'look.save': 'Saved a look',
  'look.delete': 'Deleted a look',
  'settings.change': 'Changed settings',
  'plan.change': 'Changed the plan',
  'plan.define': 'Changed the limits of a plan',
  'endpoint.create': 'Created a Nexus endpoint',
  'endpoint.rotate_token': 'Replaced the token of a Nexus endpoint',
  'endpoint.delete': 'Deleted a Nexus endpoint',
  'bucket.create': 'Registered a bucket',
  'bucket.delete': 'Removed a bucket',
  'account.create': 'Created the account',
  'account.change': 'Changed the account',
  'account.suspend': 'Suspended the account',
  'account.resume': 'Resumed the account',
  'account.delete': 'Ordered the deletion of the account',
  'account.deleted': 'Deleted the last file of the account',
  'credits.top_up': 'Added credits',
  'upload.delete': 'Deleted an upload',
  'upload.original_missing': 'Found the original of an upload missing in storage',
  'upload.original_damaged': 'Found the original of an upload damaged in storage',
  'enhancement.approve': 'Approved an enhancement',
  'enhancement.reject': 'Rejected an enhancement',
  'enhancement.cancel': 'Cancelled an enhancement',
  'batch.approve': 'Approved a batch',
  'batch.cancel': 'Cancelled a batch',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]];

/**
 * Actors: a program with an API key, a user at the dashboard, a workflow that calls a Nexus endpoint, the operator (on the
 * machine or with the operator's key), and Burnish itself.
 */
export const AUDIT_ACTORS = ['key', 'session', 'workflow', 'operator', 'burnish'] as const;

export interface AuditActor {
  actor: (typeof AUDIT_ACTORS)[number];
  /** The API key of the request or of the session; null for the operator and for Burnish */
  keyId: string | null;
  /** IP address; null for the operator on the machine itself, and for Burnish */
  address: string | null;
}

export const OPERATOR: AuditActor = { actor: 'operator', keyId: null, address: null };

/** Actor of actions that no user or program requested. */
export const BURNISH: AuditActor = { actor: 'burnish', keyId: null, address: null };

export interface AuditEntry extends AuditActor {
  /** Increases with each entry */
  seq: number;
  /** Name of the API key; null without a key, or after its deletion */
  keyName: string | null;
  /** ISO 8601 in UTC with milliseconds */
  at: string;
  action: AuditAction;
  /** Id of the subject; null for a unique subject */
  subjectId: string | null;
  /** Further facts; never a secret */
  details: AuditDetails;
}

export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>;
