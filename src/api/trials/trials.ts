import {
  Failure,
  mediaKind,
  resolveImageParameters,
  resolvePdfParameters,
  type EngineNote,
  type ImageParameters,
  type PdfParameters,
} from '@burnish/contract';
import { factsKey } from '../../domain/files/object-keys.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { fingerprint } from '../commands/idempotency.ts';
import type { Caller } from '../commands/command-types.ts';
import { readOrders, type ReadOrdersDeps, type ReadyUpload } from '../enhancements/read-orders.ts';
import { readIntact } from '../files/read-intact.ts';
import type { BoundedWork } from '../trouble/bounded-work.ts';
import type { CountRequest } from '../trouble/request-count.ts';
import type { TrialBody, TrialRepresentation } from './trial-schemas.ts';

interface TrialInput<Parameters> {
  inputPath: string;
  orders: readonly Parameters[];
  /** Centre of the part to show, in parts of the sides; null: the whole */
  centre: { x: number; y: number } | null;
}

/** Pictures as WebP, first that of the original, and what each order would do. */
interface TrialPictures<Tried> {
  area: TrialRepresentation['area'];
  pictures: readonly Buffer[];
  tried: readonly (Tried & { notes: readonly EngineNote[] })[];
}

/**
 * Runs the engine on a reduced picture, a part or a page, in separate processes that no ordered job uses, each for one account.
 * @throws Failure with the code of the file's fault; PROCESSING_LIMIT for one that takes too long for a trial
 */
export interface TrialEngine {
  /** Trials at once, each of another account */
  children: number;
  image(account: string, input: TrialInput<ImageParameters>): Promise<TrialPictures<{ steps: readonly string[] }>>;
  pdfPage(
    account: string,
    input: TrialInput<PdfParameters> & { page: number; password?: string; factsPath?: string },
  ): Promise<TrialPictures<{ enhanced: number }>>;
}

export interface TrialDeps extends ReadOrdersDeps {
  trialEngine: TrialEngine;
  storage: Pick<ObjectStore, 'head' | 'withLocalFile'>;
  uploadPasswords: Pick<UploadPasswords, 'withPassword'>;
  /** Bounds trials alone */
  trialWork: BoundedWork;
  countTrial: CountRequest;
}

/** Trials: what enhancements would do to an upload, before an order. Nothing is charged, recorded or stored. */
export function createTrials(deps: TrialDeps) {
  const { trialEngine: engine, storage, uploadPasswords, trialWork, countTrial } = deps;

  const local = <T>(
    { objectKey, file: { size, sha256 } }: ReadyUpload,
    use: (path: string) => Promise<T>,
  ): Promise<T> => readIntact(() => storage.withLocalFile(objectKey, use, { size, sha256 }));

  async function withFacts<T>(objectKey: string, use: (known: { factsPath?: string }) => Promise<T>): Promise<T> {
    const key = factsKey(objectKey);
    if ((await storage.head(key)) === undefined) return use({});
    return storage.withLocalFile(key, (factsPath) => use({ factsPath }));
  }

  return {
    /**
     * @throws Failure NOT_FOUND, PDF_NOT_ANALYZED, or with a field such as `enhancements[2].mode`; CONFLICT for a file of the hosted
     * service; RATE_LIMITED
     */
    async tryEnhancements(
      caller: Caller,
      uploadId: string,
      { enhancements, part, page }: TrialBody,
    ): Promise<TrialRepresentation> {
      const { account, plan } = caller;
      const asked = enhancements.map(({ preset, ...parameters }) => ({ parameters, ...(preset && { preset }) }));
      const { upload, given } = await readOrders(deps, caller, uploadId, asked);
      if (upload.provider === 'hosted') throw new Failure('CONFLICT', { detail: HOSTED });
      const isPdf = mediaKind(upload.file.mimetype) === 'pdf';
      if (!isPdf && page !== undefined) throw new Failure('BAD_USER_INPUT', { field: 'page', detail: NO_PAGES });
      await countTrial(account.id);
      const centre = part ?? null;
      const key = `${uploadId} ${fingerprint({ given, centre, page: page ?? 1, maxResolution: plan.maxResolution })}`;
      return await trialWork.share(key, account.id, () =>
        local(upload, async (inputPath) => {
          if (!isPdf) {
            const orders = given.map((parameters) => resolveImageParameters(parameters));
            return represent(
              await engine.image(account.id, { inputPath, orders, centre }),
              ({ steps }) => steps.length,
            );
          }
          const orders = given.map((parameters) => resolvePdfParameters(parameters, plan.maxResolution));
          const made = await withFacts(upload.objectKey, (known) =>
            uploadPasswords.withPassword(uploadId, (secret) =>
              engine.pdfPage(account.id, { inputPath, ...secret, ...known, orders, centre, page: page ?? 1 }),
            ),
          );
          return represent(made, ({ enhanced }) => enhanced);
        }),
      );
    },
  };
}

export type Trials = ReturnType<typeof createTrials>;

const HOSTED =
  'The hosted service enhances this upload, and has no trials. Order the enhancement with maxCredits 0, and approve its price later.';
const NO_PAGES = 'An image has no pages. Remove page, or use part for a part of the image.';

function represent<Tried>(
  { area, pictures: [original, ...others], tried }: TrialPictures<Tried>,
  changes: (tried: Tried) => number,
): TrialRepresentation {
  return {
    area,
    original: original!.toString('base64'),
    enhancements: tried.map((each, i) => ({
      picture: others[i]!.toString('base64'),
      changed: changes(each) > 0,
      notes: each.notes.map(noteInWords),
    })),
  };
}
