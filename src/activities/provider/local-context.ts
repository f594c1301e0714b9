import { mkdtemp, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  counted,
  formatNumber,
  type EngineReport,
  type EnhancementResult,
  priceOfPdf,
  resolvePdfParameters,
} from '@burnish/contract';
import { isOriginal, type AssembledPdf } from '@burnish/engine/host';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import { noteInWords } from '../../domain/notes/note-in-words.ts';
import { resultFilename } from '../../domain/upload/filenames.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { TextReader } from '../../sandbox/text/text-reader.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Watch } from '../heartbeat.ts';
import type { Input } from '../inputs/schemas.ts';

/** Pixels after orientation; 0 for PDFs. */
export interface Inspection {
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Sentences for the record, such as "Animated: 12 frames." */
  notes: string[];
}

export interface EnhanceOutcome {
  result: EnhancementResult;
  engine: EngineReport;
  /** Actual cost, at most the estimate */
  credits: number;
}

/** Of an image that one activity inspects and enhances. */
export interface InspectedOutcome {
  inspection: Inspection;
  outcome: EnhanceOutcome;
}

export interface LocalProviderDeps {
  sandbox: Sandbox;
  store: ObjectStore;
  /** Folder for temporary files of one job. On the disk of the storage, a result is moved rather than copied */
  scratchDir: string;
  /** Version of the engine in the sandbox, including its networks */
  engineVersion: string;
  /** Version and commit of this process, for the reports; absent: they have none */
  build?: string;
  /** Passwords of PDFs; without them, a PDF that needs a password is rejected */
  passwords?: Pick<UploadPasswords, 'withPassword' | 'remove'>;
  /** Reads the text of scans; without it, such work waits for another worker */
  textReader?: TextReader;
  /** Maximum number of pixels of a PDF, before and after, that one activity enhances; by default the engine decides */
  oneGoPixels?: number;
}

/** Dependencies and helpers that the modules of the local provider share. */
export interface LocalContext extends LocalProviderDeps {
  /** Runs a job with its own temporary folder, and deletes the folder afterwards */
  withScratch<T>(use: (folder: string) => Promise<T>): Promise<T>;
  withPassword: UploadPasswords['withPassword'];
  /** Moves a finished local file into storage, and returns the data for the record */
  storeResult(
    job: Input<'enhance'>,
    paths: { inputPath: string; outputPath: string },
    made: ResultFacts,
    watch: Pick<Watch, 'signal'>,
  ): Promise<EnhanceOutcome>;
}

type ResultFacts = Pick<EnhancementResult, 'mimetype' | 'width' | 'height'> &
  Pick<EngineReport, 'steps' | 'models' | 'notes' | 'fidelity' | 'uncertainPages' | 'splitPages' | 'droppedPages'> & {
    credits: number;
    unchanged: boolean;
    started: number;
    fellBack?: boolean;
  };

export function createLocalContext(deps: LocalProviderDeps): LocalContext {
  const { store, scratchDir, engineVersion, build } = deps;
  return {
    ...deps,
    withPassword: deps.passwords?.withPassword ?? ((_uploadId, work) => work({})),
    async withScratch(use) {
      const scratch = await mkdtemp(join(scratchDir, 'job-'));
      try {
        return await use(scratch);
      } finally {
        // The result of an image has been moved, and leaves an empty folder.
        await rmdir(scratch).catch(() => rm(scratch, { recursive: true, force: true }));
      }
    },
    async storeResult(job, { inputPath, outputPath }, made, { signal }) {
      const {
        started,
        credits,
        mimetype,
        width,
        height,
        steps,
        models,
        fellBack = false,
        notes,
        unchanged,
        fidelity,
        uncertainPages,
        splitPages,
        droppedPages,
      } = made;
      const durationMs = Math.round(performance.now() - started);
      signal.throwIfAborted();
      const { size: originalSize } = await stat(inputPath);
      const { size, sha256 } = await store.putFile(job.resultKey, outputPath);
      const filename = resultFilename(job.source.originalFilename, mimetype);
      return {
        result: { objectKey: job.resultKey, size, originalSize, sha256, mimetype, filename, width, height },
        // A result of a fallback must not be reused, so its engine version differs.
        engine: {
          version: fellBack ? `${engineVersion}-fallback` : engineVersion,
          ...(build && { build }),
          steps,
          models,
          notes: unchanged ? [...notes, 'The enhancement changed no picture and costs nothing.'] : notes,
          durationMs,
          ...(unchanged && { unchanged }),
          ...(fidelity && { fidelity }),
          ...(uncertainPages && { uncertainPages }),
          ...(splitPages && { splitPages }),
          ...(droppedPages && { droppedPages }),
        },
        credits,
      };
    },
  };
}

/** Fills in the defaults of an order's parameters for a PDF. */
export function resolveParameters({ parameters, plan }: Input<'estimate'>) {
  return resolvePdfParameters(parameters, plan.maxResolution);
}

export const paidInput = ({ paidExcept }: Input<'estimate'>): { paidExcept?: number[][] } =>
  paidExcept === undefined ? {} : { paidExcept };

/** Gives what a record keeps of a PDF that one activity made, or many. */
export function outcomeOfPdf(assembled: AssembledPdf, started: number): ResultFacts {
  const skipped = assembled.skipped.map(({ reason, count }) => `${formatNumber(count)} unchanged: ${reason}.`);
  return {
    mimetype: 'application/pdf',
    width: 0,
    height: 0,
    steps: [`${formatNumber(assembled.enhanced)} of ${counted(assembled.images, 'image')}`],
    models: [],
    notes: [...assembled.notes.map(noteInWords), ...skipped],
    credits: priceOfPdf(assembled.work),
    unchanged: isOriginal(assembled),
    ...(assembled.uncertain.length > 0 && { uncertainPages: assembled.uncertain }),
    ...(assembled.split.length > 0 && { splitPages: assembled.split }),
    ...(assembled.dropped.length > 0 && { droppedPages: assembled.dropped }),
    started,
  };
}
