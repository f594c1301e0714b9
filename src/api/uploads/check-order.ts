import {
  assertImageOrderAgrees,
  assertOrderAgrees,
  assertOrderFits,
  Failure,
  counted,
  formatNumber,
  type EnhancementParameters,
  type MediaKind,
  type ProviderName,
  type Upload,
  nameFieldAsync,
} from '@burnish/contract';
import { assertWithinPlan, assertTierAllowed } from '../../domain/enhancement/parameter-rules.ts';
import { assertFits } from '../../domain/enhancement/order-rules.ts';
import {
  assertDestinationAllowed,
  assertTextReadable,
  type FindTextProgram,
} from '../enhancements/check-enhancement-order.ts';
import { applySaved } from '../enhancements/apply-saved.ts';
import type { Caller, EnhancementOrder, UploadOrder } from '../commands/command-types.ts';
import { effectiveJobsAtOnce, effectiveStoredBytes, storageLimit } from '../../domain/accounts/account-limits.ts';
import type { OpenWork, UsageStore } from '../../database/accounts/usage.ts';
import type { RoomOfAccount } from '../../database/uploads/upload-starts.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import { assertProviderOfTests, assertTestReference } from '../../test-accounts/orders.ts';
import type { Buckets } from '../../database/accounts/buckets.ts';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';

/** Bytes of all parameters of an order as JSON. One enhancement has at most 46,000, and the input of a workflow stays below 64 kB. */
const MAX_PARAMETERS_BYTES = 48_000;

export interface AdmitDeps {
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  buckets: Buckets;
  looks: Looks;
  presets: Presets;
  /** Default provider of orders */
  provider: ProviderName;
  /** Null without a hosted service */
  hosted: { policy: HostedPolicy } | null;
  textProgram: FindTextProgram;
}

/**
 * Refuses parameters that can never be applied, before any write.
 * @param kind of the file; null if unknown: the parameters must then be valid for some kind
 * @throws Failure that names the field
 */
export function assertParametersAllowed(
  { account, plan }: Pick<Caller, 'account' | 'plan'>,
  parameters: EnhancementParameters,
  kind: MediaKind | null,
): void {
  if (kind === null) assertOrderAgrees(parameters);
  else assertOrderFits(kind, parameters);
  assertWithinPlan(plan, parameters);
  assertTierAllowed(account, parameters.engineTier);
}

/**
 * Refuses an enhancement that the file of an upload does not allow, as far as its record shows it.
 * @throws Failure that names the field
 */
export function assertEnhancementAllowed(
  { account, plan }: Pick<Caller, 'account' | 'plan'>,
  upload: Upload,
  parameters: EnhancementParameters,
): void {
  assertFits(upload, plan, parameters);
  assertTierAllowed(account, parameters.engineTier);
}

/**
 * Checks enhancements of one order, in their sequence, before any write.
 * @param checks.reference of the upload
 * @param checks.assertAllowed throws for parameters, with presets applied, that the upload does not allow
 * @returns the enhancements with the parameters of their presets
 * @throws Failure with a field such as `enhancements[2].mode`
 */
export async function admitEnhancements(
  deps: {
    assertAllowedUrl: SafeFetch['assertAllowedUrl'];
    buckets: Buckets;
    looks: Looks;
    presets: Presets;
    textProgram: FindTextProgram;
  },
  caller: Caller,
  given: readonly EnhancementOrder[],
  checks: { reference: string | null; assertAllowed: (parameters: EnhancementParameters) => void },
): Promise<EnhancementOrder[]> {
  const admitted: EnhancementOrder[] = [];
  let bytes = 0;
  for (const [index, each] of given.entries()) {
    await nameFieldAsync(`enhancements[${index}].`, async () => {
      const order = await applySaved(deps, caller, each);
      checks.assertAllowed(order.parameters);
      assertTestReference(caller.account, order.reference, checks.reference);
      await assertTextReadable(deps, order.parameters);
      await assertDestinationAllowed(deps, caller, order.destination, order.reference ?? checks.reference);
      admitted.push(order);
      bytes += JSON.stringify(order.parameters).length;
    });
    if (bytes > MAX_PARAMETERS_BYTES) throw tooManyParameters();
  }
  return admitted;
}

function tooManyParameters(): Failure {
  const detail = `The parameters of all enhancements have more than ${formatNumber(MAX_PARAMETERS_BYTES)} bytes of JSON. Send them in several orders.`;
  return new Failure('BAD_USER_INPUT', { field: 'enhancements', detail });
}

/** Checks the order of an upload. @returns the order with the parameters of its presets. @throws Failure that names the field */
export async function admitOrder<Order extends UploadOrder>(
  deps: AdmitDeps,
  caller: Caller,
  given: Order,
  kind: MediaKind | null,
): Promise<Order> {
  const { reference = null, provider = deps.provider } = given;
  assertProviderAllowed(deps, caller, given);
  assertTestReference(caller.account, given.reference);
  const enhancements = await admitEnhancements(deps, caller, given.enhancements, {
    reference,
    assertAllowed(parameters) {
      assertParametersAllowed(caller, parameters, kind);
      assertImageOrderAgrees(parameters, provider);
    },
  });
  const order = { ...given, enhancements };
  if (order.password !== undefined) assertPasswordAllowed(kind, provider);
  const { webhookUrl } = order;
  if (webhookUrl !== null) await nameFieldAsync('webhookUrl', async () => deps.assertAllowedUrl(webhookUrl));
  return order;
}

/**
 * @param kind of the file; null if unknown
 * @throws Failure BAD_USER_INPUT for a file type without passwords, and for a provider that does not support them
 */
export function assertPasswordAllowed(kind: MediaKind | null, provider: ProviderName): void {
  if (kind === 'image') {
    const detail = 'Field password applies to PDFs only, but the file is an image. Remove it.';
    throw new Failure('BAD_USER_INPUT', { field: 'password', detail });
  }
  if (provider === 'hosted') {
    const detail =
      'The hosted service does not accept passwords. Choose the provider LOCAL, or send a copy without a password.';
    throw new Failure('BAD_USER_INPUT', { field: 'password', detail });
  }
}

/** Refuses a provider that this instance or the account does not have. @throws Failure BAD_USER_INPUT */
function assertProviderAllowed(
  deps: Pick<AdmitDeps, 'provider' | 'hosted'>,
  { account }: Pick<Caller, 'account'>,
  { provider, fallback }: UploadOrder,
): void {
  assertProviderOfTests(account, provider);
  if (provider === 'hosted' && deps.hosted === null) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'provider',
      detail: 'This instance has no hosted service. Remove provider, or set it to LOCAL.',
    });
  }
  if (fallback !== undefined && (provider ?? deps.provider) !== 'hosted') {
    const detail =
      'Field fallback applies to uploads whose provider is HOSTED only. Remove it, or set provider to HOSTED.';
    throw new Failure('BAD_USER_INPUT', { field: 'fallback', detail });
  }
}

const RETRY_AFTER_SECONDS = 30;

/** What the plan and the settings of an account allow. */
export function roomOf({ account, plan }: Pick<Caller, 'account' | 'plan'>): RoomOfAccount {
  return { jobs: effectiveJobsAtOnce(account, plan), storedBytes: effectiveStoredBytes(account, plan) };
}

/**
 * Refuses enhancements beyond the limit of waiting and running ones. Concurrent requests may exceed it by their own number.
 * @throws Failure RATE_LIMITED
 */
export async function assertRoom(
  { usage }: { usage: UsageStore },
  caller: Caller,
  enhancements: number,
): Promise<void> {
  const room = roomOf(caller);
  const open = await usage.openWork(caller.account.id, room.jobs);
  if (open.enhancements + enhancements > room.jobs) throw noRoom(room, open, { enhancements, storedBytes: 0 });
}

/**
 * The refusal of an order that does not fit beside the open work of its account.
 * @param wanted number of enhancements, and the size of the file; 1 if it is unknown
 * @returns Failure RATE_LIMITED or STORAGE_LIMIT
 */
export function noRoom(room: RoomOfAccount, open: OpenWork, wanted: Omit<OpenWork, 'uploads'>): Failure {
  if (open.storedBytes + wanted.storedBytes > room.storedBytes && wanted.storedBytes > 0)
    return storageLimit(open.storedBytes, room.storedBytes);
  const limit = room.jobs;
  const detail =
    wanted.enhancements > 0 && open.enhancements + wanted.enhancements > limit
      ? `At most ${counted(limit, 'enhancement')} of the account may wait or run at the same time, and ${open.enhancements} do. Wait for their end.`
      : `At most ${counted(limit, 'upload')} of the account may wait for a file or its check at the same time, and ${open.uploads} do. Wait for their end.`;
  return new Failure('RATE_LIMITED', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
