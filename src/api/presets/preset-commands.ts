import {
  assertOrderAgrees,
  nameVersion,
  SAVED_NAME,
  parseSavedReference,
  type Preset,
  type EnhancementParameters,
  Failure,
  nameField,
} from '@burnish/contract';
import { changeAccount, requireEarlier } from '../commands/change-account.ts';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

export function createPresetCommands(deps: { accountChanges: AccountChanges; presets: Presets }) {
  return {
    /**
     * Saves parameters as the latest version of a preset. Equal parameters make no version.
     * @throws Failure BAD_USER_INPUT for parameters that fit no file, and beyond the limits of presets and versions
     */
    async savePreset(
      caller: Caller,
      name: string,
      parameters: EnhancementParameters,
      idempotencyKey: IdempotencyKey,
    ): Promise<Preset> {
      const { id: accountId } = caller.account;
      nameField('enhancements[0].', () => assertOrderAgrees(parameters));
      const result = await changeAccount(deps, caller, {
        operation: 'savePreset',
        request: { name, parameters },
        idempotencyKey,
        audit: { action: 'preset.save' },
        async change({ presets }) {
          const value = await presets.save(accountId, name, parameters);
          return { subjectId: nameVersion(value), value };
        },
      });
      if ('value' in result) return result.value;
      const earlier = parseSavedReference(result.repeated);
      return requireEarlier(earlier && (await deps.presets.find(accountId, earlier)));
    },

    /** Deletes a preset with all its versions. Enhancements keep its name. @throws Failure NOT_FOUND */
    async deletePreset(caller: Caller, name: string, idempotencyKey: IdempotencyKey): Promise<void> {
      await changeAccount(deps, caller, {
        operation: 'deletePreset',
        request: name,
        idempotencyKey,
        audit: { action: 'preset.delete' },
        async change({ presets }) {
          const removed = SAVED_NAME.test(name) && (await presets.remove(caller.account.id, name));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: name, value: undefined };
        },
      });
    },
  };
}

/** What the operations and the fields of this resource use. */
export interface PresetNeeds {
  presets: Presets;
  commands: ReturnType<typeof createPresetCommands>;
}
