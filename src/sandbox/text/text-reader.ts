import { JailError, runProgram, type Jail, type FairLimiter, type JailErrorCode } from '@burnish/jail';
import {
  type DrawnScan,
  type PageWord,
  type ScanDirection,
  MAX_PAGE_WORDS,
  MAX_WORD_LENGTH,
} from '@burnish/engine/host';
import { Failure } from '@burnish/contract';
import { toFailure } from '../failures.ts';
import { isReadable, parseDirection } from './scan-direction.ts';
import { isThere, programEnvironment, type NoTextProgram, type TextProgram } from './text-program.ts';

/** A page of 40 megapixels takes some ten seconds. */
const PAGE_CPU_MS = 3 * 60_000;
const PAGE_MEMORY = 1_500_000_000;
/** A row of the table has about 60 bytes. */
const MOST_TABLE_BYTES = 8_000_000;
const [LEAST_RESOLUTION, MOST_RESOLUTION] = [70, 2400];

/** Ends of a run for which the page is the reason, if the program reads another one. */
const OF_PAGE: readonly JailErrorCode[] = [
  'OUT_OF_TIME',
  'OUT_OF_MEMORY',
  'TOO_MANY_THREADS',
  'INVALID_OUTPUT',
  'CRASHED',
];

export interface ReadOptions {
  /** Account of the file */
  account: string;
  /** Such as `eng+deu` */
  languages: string;
  signal: AbortSignal;
}

export interface TextReader {
  /**
   * Reads the words of a drawn scan, when the account has its turn. One that its letters do not show upright has its direction
   * detected first.
   * @returns undefined for a page that exceeds a limit, or on which the program crashes; as `ReadWords` for one that is not upright
   * @throws Failure UNAVAILABLE when this machine lacks the program or a language; the reason of the signal
   */
  read(scan: DrawnScan & { path: string }, options: ReadOptions): Promise<PageWord[] | ScanDirection | undefined>;
}

export interface TextReaderDeps {
  jail: Jail;
  /** That of the engine: a page counts as the work of one core */
  limiter: FairLimiter;
  /** Looks for the program */
  find: () => Promise<TextProgram | NoTextProgram>;
  scratchDir?: string;
}

export function createTextReader({ jail, limiter, find, scratchDir }: TextReaderDeps): TextReader {
  let known: TextProgram | undefined;

  async function findAll(languages: readonly string[]): Promise<TextProgram> {
    if (known !== undefined && (await isThere(known, languages))) return known;
    known = undefined;
    const found = await find();
    if ('missing' in found) throw away(found.missing);
    const absent = languages.find((language) => !found.languages.includes(language));
    if (absent !== undefined) throw away(`Tesseract on this worker lacks the language ${absent}.`);
    return (known = found);
  }

  return {
    read: (scan, options) =>
      limiter.run({ owner: options.account, signal: options.signal }, () => readNow(scan, options)),
  };

  async function readNow(
    { path, resolution, upright }: DrawnScan & { path: string },
    { languages, signal }: ReadOptions,
  ): Promise<PageWord[] | ScanDirection | undefined> {
    try {
      const program = await findAll(languages.split('+'));
      const dpi = Math.min(MOST_RESOLUTION, Math.max(LEAST_RESOLUTION, resolution));
      const run = (...options: string[]): Promise<string> =>
        runOn(program, path, ['--dpi', String(dpi), ...options], signal);
      if (!upright && program.detectsDirection) {
        const direction = parseDirection(await run('--psm', '0').catch(withoutReport));
        if (direction !== undefined && direction !== 0) return { direction };
      }
      const table = await run('-l', languages, '--psm', '3', 'tsv');
      return upright || isReadable(table) ? parseWords(table) : { direction: 'unknown' };
    } catch (error) {
      if (!(error instanceof JailError) || !OF_PAGE.includes(error.code)) throw toFailure(error);
      if (error.code === 'CRASHED') await assertRuns();
      return undefined;
    }
  }

  async function runOn(program: TextProgram, path: string, options: string[], signal: AbortSignal): Promise<string> {
    const output = await runProgram({
      jail,
      command: (input) => [program.path, input, 'stdout', ...options],
      inputPath: path,
      env: programEnvironment(program),
      readable: program.readable,
      memoryLimitBytes: PAGE_MEMORY,
      cpuMs: PAGE_CPU_MS,
      mostOutputBytes: MOST_TABLE_BYTES,
      signal,
      ...(scratchDir !== undefined && { scratchDir }),
    });
    return output.toString('utf8');
  }

  /** A program that fails without a page too says nothing about the page. */
  async function assertRuns(): Promise<void> {
    const found = await find();
    if ('missing' in found) throw away(found.missing);
  }
}

const away = (detail: string): Failure => new Failure('UNAVAILABLE', { machinery: 'worker', detail });

/** The program fails on a page with too few letters to detect its direction. */
function withoutReport(error: unknown): string {
  if (error instanceof JailError && OF_PAGE.includes(error.code)) return '';
  throw error;
}

/** Level of a word in the table of Tesseract. */
const WORD = '5';

/**
 * Reads the table that Tesseract prints (`tsv`): level, page, block, paragraph, line, word, left, top, width, height, confidence
 * and text, by tabs. Lines of another form count as absent.
 * @returns undefined for more words than a page can have
 */
export function parseWords(table: string): PageWord[] | undefined {
  const words: PageWord[] = [];
  let line = '';
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, lineNumber, , left, top, width, height, , ...rest] = row.split('\t');
    if (level !== WORD) continue;
    const box = [left, top, width, height].map((value) => (/^\d{1,6}$/.test(value ?? '') ? Number(value) : NaN));
    const text = rest.join(' ').trim().slice(0, MAX_WORD_LENGTH);
    if (text === '' || box.some(Number.isNaN) || box[2] === 0 || box[3] === 0) continue;
    if (words.length >= MAX_PAGE_WORDS) return undefined;
    const place = [page, block, paragraph, lineNumber].join(' ');
    if (place === line) words.at(-1)!.continues = true;
    line = place;
    words.push({ text, left: box[0]!, top: box[1]!, width: box[2]!, height: box[3]! });
  }
  return words;
}
