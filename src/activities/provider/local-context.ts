import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { TextReader } from '../../sandbox/text/text-reader.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { EngineReport, EnhancementResult } from '../../domain/enhancement/enhancement.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { EnhanceOutcome, Watch } from './provider.ts';
import type { TestReferences } from '../test-references.ts';
import type { Input } from '../inputs/schemas.ts';
import { withWorkFile } from '../needed-files.ts';

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
  /** Outcomes that test accounts ask for; without them, the engine does their work */
  testReferences?: TestReferences;
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
    made: Made,
    watch: Pick<Watch, 'signal'>,
  ): Promise<EnhanceOutcome>;
}

export type Made = Pick<EnhancementResult, 'mimetype' | 'width' | 'height'> &
  Pick<EngineReport, 'steps' | 'models' | 'notes' | 'fidelity' | 'uncertainPages' | 'splitPages'> & {
    credits: number;
    unchanged: boolean;
    started: number;
    fellBack?: boolean;
  };

/** An object's bytes as a local file, for reading. */
export interface LocalFile {
  path: string;
  /** Ends the use of the path; resolves once its resources are released. */
  release(): Promise<void>;
}

/** Like `withWorkFile`, for a use that spans several functions. */
export function borrowLocalFile(store: Pick<ObjectStore, 'withLocalFile'>, key: string): Promise<LocalFile> {
  return new Promise((resolve, reject) => {
    const use = withWorkFile(
      store,
      key,
      (path) =>
        new Promise<void>((done) => {
          const release = async (): Promise<void> => {
            done();
            await use.catch(() => undefined);
          };
          resolve({ path, release });
        }),
    );
    use.catch(reject);
  });
}
