import {
  type BuiltLook,
  describeProof,
  Failure,
  LOOK_REFUSAL_WORDS,
  LOOK_REMEDY,
  type Look,
  mediaKind,
  nameFieldAsync,
  nameVersion,
  parseSavedReference,
  SAVED_NAME,
} from '@burnish/contract';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import { changeAccount, requireEarlier } from '../commands/change-account.ts';
import { requireById } from '../commands/checks.ts';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import { viewOriginal, viewResult, type Viewed } from '../previews/viewed.ts';
import type { LookBuilds, ViewedPicture } from './look-builds.ts';
import type { LookOrder } from './look-schemas.ts';

export interface LookCommandDeps {
  accountChanges: AccountChanges;
  enhancements: Enhancements;
  lookBuilds: LookBuilds;
  looks: Looks;
  uploads: Uploads;
}

export function createLookCommands(deps: LookCommandDeps) {
  const { enhancements, lookBuilds, uploads } = deps;

  const findUpload = async ({ account }: Caller, given: string): Promise<Viewed> =>
    assertImage(viewOriginal(await requireById('upl', given, (id) => uploads.get(account.id, id))));

  const findPicture = async (caller: Caller, given: string): Promise<Viewed> =>
    given.startsWith('enh_')
      ? assertImage(viewResult(await requireById('enh', given, (id) => enhancements.get(caller.account.id, id))))
      : await findUpload(caller, given);

  /** @throws Failure that names the field of a picture which is unknown, no photograph or there twice */
  async function build(
    caller: Caller,
    { pictures, samples = [] }: LookOrder,
  ): Promise<{ look: BuiltLook; samples: string[] }> {
    const seen = new Map<string, number>();
    const found: ViewedPicture[] = [];
    for (const [index, { finished, original }] of pictures.entries()) {
      const name = `pictures[${index}].`;
      const viewed = await nameFieldAsync(name, () => named('finished', () => findPicture(caller, finished)));
      const earlier = seen.get(viewed.expected.sha256);
      // The proof leaves a picture out: a second copy would prove it by itself.
      if (earlier !== undefined)
        throw refused(`${name}finished`, `The file equals that of pictures[${earlier}]. Remove one of them.`);
      seen.set(viewed.expected.sha256, index);
      const before =
        original === undefined
          ? {}
          : { original: await nameFieldAsync(name, () => named('original', () => findUpload(caller, original))) };
      found.push({ finished: viewed, ...before });
    }
    const shown: Viewed[] = [];
    for (const [index, id] of samples.entries())
      shown.push(await named(`samples[${index}]`, () => findUpload(caller, id)));
    const { look, unfit, samples: made } = await lookBuilds.build(caller.account.id, found, shown);
    if (look !== null) return { look, samples: made };
    const detail = 'The picture is a drawing, too small, or has hardly any visible pixels. Choose a photograph.';
    throw refused(`pictures[${unfit[0]}].finished`, detail);
  }

  return {
    /** Builds a look without saving it, and shows what it does to samples. */
    tryLook: build,

    /**
     * Builds a look and saves it as the latest version of its name. Equal values make no version.
     * @throws Failure BAD_USER_INPUT with the figures of a look that has not proved itself, and beyond the limits
     */
    async saveLook(
      caller: Caller,
      name: string,
      pictures: LookOrder['pictures'],
      idempotencyKey: IdempotencyKey,
    ): Promise<Look> {
      const { look } = await build(caller, { pictures });
      if (look.refused !== null) {
        const detail = `${LOOK_REFUSAL_WORDS[look.refused]} ${describeProof(look.proof)} ${LOOK_REMEDY}`;
        throw refused('pictures', detail);
      }
      const { values, proof } = look;
      const result = await changeAccount(deps, caller, {
        operation: 'saveLook',
        request: { name, pictures },
        idempotencyKey,
        audit: { action: 'look.save' },
        async change({ looks }) {
          const value = await looks.save(caller.account.id, name, { values, proof });
          return { subjectId: nameVersion(value), value };
        },
      });
      if ('value' in result) return result.value;
      const earlier = parseSavedReference(result.repeated);
      return requireEarlier(earlier && (await deps.looks.find(caller.account.id, earlier)));
    },

    /** Deletes a look with all its versions. Enhancements keep its values. @throws Failure NOT_FOUND */
    async deleteLook(caller: Caller, name: string, idempotencyKey: IdempotencyKey): Promise<void> {
      await changeAccount(deps, caller, {
        operation: 'deleteLook',
        request: name,
        idempotencyKey,
        audit: { action: 'look.delete' },
        async change({ looks }) {
          const removed = SAVED_NAME.test(name) && (await looks.remove(caller.account.id, name));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: name, value: undefined };
        },
      });
    },
  };
}

const refused = (field: string, detail: string): Failure => new Failure('BAD_USER_INPUT', { field, detail });

function assertImage(viewed: Viewed): Viewed {
  if (mediaKind(viewed.mimetype) === 'image') return viewed;
  throw new Failure('BAD_USER_INPUT', { detail: 'The file is a PDF. Choose a photograph.' });
}

/** Names the field that a search by id refuses. */
async function named<T>(field: string, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof Failure) || error.field !== undefined) throw error;
    throw new Failure(error.code, { field, detail: error.message, cause: error });
  }
}

/** What the operations and the fields of this resource use. */
export interface LookNeeds {
  looks: Looks;
  commands: ReturnType<typeof createLookCommands>;
}
