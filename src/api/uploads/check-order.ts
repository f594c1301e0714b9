import { Failure } from '../../domain/failures.ts';
import type { MediaKind } from '../../domain/upload/media.ts';
import { assertParametersAgree, assertParametersFit, assertWithinPlan } from '../../domain/enhancement/parameters.ts';
import type { ProviderName } from '../../domain/upload/upload.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { assertTierAllowed } from '../../domain/accounts/account.ts';
import { nameField, nameFieldAsync } from '../commands/name-field.ts';
import type { Caller, CommandDeps, EnhancementOrder, UploadOrder } from '../commands/command-types.ts';

/** The most enhancements that one upload may be ordered with. */
export const MAX_ORDERED_ENHANCEMENTS = 20;

type AdmitDeps = Pick<CommandDeps, 'assertAllowedUrl' | 'provider' | 'hosted'>;

/**
 * Refuses parameters that can never be carried out, before anything is written.
 * @param kind of the file; null while it is not known, and then the parameters must fit some kind
 * @throws Failure that names the field
 */
export function assertParametersAllowed(
  { account, plan }: Pick<Caller, 'account' | 'plan'>,
  parameters: EnhancementParameters,
  kind: MediaKind | null,
): void {
  if (kind === null) assertParametersAgree(parameters);
  else assertParametersFit(kind, parameters);
  assertWithinPlan(plan, parameters);
  assertTierAllowed(account, parameters.engineTier);
}

/** Checks what comes with an upload. @throws Failure that names the field */
export async function assertOrderAllowed(
  deps: AdmitDeps,
  caller: Caller,
  order: UploadOrder,
  kind: MediaKind | null,
): Promise<void> {
  if (order.enhancements.length > MAX_ORDERED_ENHANCEMENTS) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'enhancements',
      detail: `Expected at most ${MAX_ORDERED_ENHANCEMENTS} enhancements but received ${order.enhancements.length}.`,
    });
  }
  order.enhancements.forEach(({ parameters }: EnhancementOrder, index) => {
    nameField(`enhancements[${index}].`, () => assertParametersAllowed(caller, parameters, kind));
  });
  assertProviderAllowed(deps, order);
  if (order.password !== undefined) assertPasswordAllowed(kind, order.provider ?? deps.provider);
  const { webhookUrl } = order;
  if (webhookUrl !== null) await nameFieldAsync('webhookUrl', async () => deps.assertAllowedUrl(webhookUrl));
}

/** Refuses a provider that this instance does not have. @throws Failure BAD_USER_INPUT */
/**
 * @param kind of the file; null while it is not known
 * @throws Failure BAD_USER_INPUT for a file that cannot have a password, and for a provider that takes none
 */
export function assertPasswordAllowed(kind: MediaKind | null, provider: ProviderName): void {
  if (kind === 'image') {
    const detail = 'Field password applies to PDFs only, but the file is an image.';
    throw new Failure('BAD_USER_INPUT', { field: 'password', detail });
  }
  if (provider === 'hosted') {
    const detail =
      'The hosted service takes no passwords. Choose the provider LOCAL, or send a copy without a password.';
    throw new Failure('BAD_USER_INPUT', { field: 'password', detail });
  }
}

function assertProviderAllowed(
  deps: Pick<AdmitDeps, 'provider' | 'hosted'>,
  { provider, fallback }: UploadOrder,
): void {
  if (provider === 'hosted' && deps.hosted === null) {
    throw new Failure('BAD_USER_INPUT', { field: 'provider', detail: 'This instance has no hosted service.' });
  }
  if (fallback !== undefined && (provider ?? deps.provider) !== 'hosted') {
    const detail = 'Field fallback applies to uploads whose provider is HOSTED only.';
    throw new Failure('BAD_USER_INPUT', { field: 'fallback', detail });
  }
}
