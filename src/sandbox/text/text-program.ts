import { execFile, type ExecFileOptionsWithStringEncoding } from 'node:child_process';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, JailError, runProgram, type Jail, type ProgramRun } from '@burnish/jail';

/** The operator's Tesseract, with what it needs to run in a jail. */
export interface TextProgram {
  path: string;
  /** Such as `5.3.0` */
  version: string;
  /** Folder of the files of languages */
  dataFolder: string;
  /** Languages that it reads, in order of their names */
  languages: readonly string[];
  /** Whether it detects the direction of a page */
  detectsDirection: boolean;
  /** Files and folders that it reads */
  readable: readonly string[];
}

/** Why there is no program, for people. */
export interface NoTextProgram {
  missing: string;
}

/** Time for the program to name its version, milliseconds. */
const ANSWER_MS = 10_000;
const [ANSWER_BYTES, ANSWER_MEMORY] = [1_000_000, 500_000_000];
/** The data by which it detects the direction of a page. */
const DIRECTION = 'osd';
const NO_LANGUAGES = [DIRECTION, 'equ'];

const run = promisify(execFile);
/**
 * What the first looks at the program get of the environment of this process, whose secrets it must not see. They run before
 * its files are known, so outside of the jail, and on no file of a caller.
 */
const probing = (): ExecFileOptionsWithStringEncoding => {
  const { TESSDATA_PREFIX: prefix } = process.env;
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...(prefix === undefined ? {} : { TESSDATA_PREFIX: prefix }) };
  return { encoding: 'utf8', cwd: '/', env, timeout: ANSWER_MS, maxBuffer: ANSWER_BYTES };
};

/** Settings of the program in a jail: one thread, as each page has the permit of one core. */
export const programEnvironment = ({ dataFolder }: Pick<TextProgram, 'dataFolder'>): ProgramRun['env'] => ({
  OMP_THREAD_LIMIT: '1',
  TESSDATA_PREFIX: dataFolder,
});

/**
 * Finds Tesseract, and tries it in the jail of the engine.
 * @param setting name or path of the program, or `off`
 */
export async function findTextProgram(setting: string, jail: Jail): Promise<TextProgram | NoTextProgram> {
  if (setting === 'off') return { missing: 'BURNISH_TESSERACT is `off`.' };
  const path = setting.startsWith('/') ? setting : findProgram(setting);
  if (path === undefined || !(await isExecutable(path)))
    return {
      missing: `The program ${setting} is missing: install it (Debian, Ubuntu: apt-get install tesseract-ocr).`,
    };
  try {
    const said = await run(path, ['--version'], probing());
    const version = /^tesseract v?(\S+)/im.exec(said.stdout + said.stderr)?.[1];
    if (version === undefined) return { missing: `${path} is not Tesseract: set BURNISH_TESSERACT to its path.` };
    const listed = await run(path, ['--list-langs'], probing());
    const { folder, languages, detectsDirection } = readList(listed.stdout + listed.stderr);
    if (folder === undefined || languages.length === 0)
      return { missing: 'Tesseract has no language: install one (Debian, Ubuntu: apt-get install tesseract-ocr-eng).' };
    const program = {
      path,
      version,
      dataFolder: folder,
      languages,
      detectsDirection,
      readable: [...(await librariesOf(path)), path, folder],
    };
    await runProgram({
      jail,
      command: () => [path, '--list-langs'],
      env: programEnvironment(program),
      readable: program.readable,
      memoryLimitBytes: ANSWER_MEMORY,
      cpuMs: ANSWER_MS,
      mostOutputBytes: ANSWER_BYTES,
    });
    return program;
  } catch (error) {
    const isJailed = error instanceof JailError;
    return {
      missing: isJailed
        ? `${path} does not run in the jail of decoders: install Tesseract as a package of the system.`
        : `${path} does not run: install Tesseract again, or set BURNISH_TESSERACT to another path.`,
    };
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The first line names the folder: `List of available languages in "/usr/share/tessdata/" (2):`. */
function readList(text: string): Pick<TextProgram, 'detectsDirection'> & {
  folder: string | undefined;
  languages: string[];
} {
  const [head = '', ...lines] = text.split('\n').map((line) => line.trim());
  const folder = /"(\/[^"]+?)\/?"/.exec(head)?.[1];
  const languages = lines.filter((line) => /^[A-Za-z][A-Za-z0-9_]{1,23}$/.test(line) && !NO_LANGUAGES.includes(line));
  return { folder, languages: languages.sort(), detectsDirection: lines.includes(DIRECTION) };
}

/** The loader of a program, and the folders of its shared libraries. A program without any is complete by itself. */
async function librariesOf(path: string): Promise<string[]> {
  const { stdout } = await run('ldd', [await realpath(path)], probing()).catch(() => ({ stdout: '' }));
  const libraries = [...stdout.matchAll(/=> (\/\S+) \(0x/g)].map(([, library]) => library!);
  const loaders = [...stdout.matchAll(/^\s*(\/\S+) \(0x/gm)].map(([, loader]) => loader!);
  return [...new Set([...loaders, ...libraries.map((library) => dirname(library))])];
}

/** Whether the program and its languages are still there. */
export async function isThere({ path, dataFolder }: TextProgram, languages: readonly string[]): Promise<boolean> {
  const files = languages.map((language) => join(dataFolder, `${language}.traineddata`));
  const looks = await Promise.allSettled([access(path, constants.X_OK), ...files.map((file) => access(file))]);
  return looks.every(({ status }) => status === 'fulfilled');
}
