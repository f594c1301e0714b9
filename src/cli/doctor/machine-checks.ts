import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { missingFonts } from '@burnish/engine/host';
import { findJail } from '../../sandbox/jail.ts';
import { findTextProgram } from '../../sandbox/text/text-program.ts';
import { missingIsolation } from '../../sandbox/missing-isolation.ts';
import type { Config } from '../../runtime/config.ts';
import { assertOpenFiles } from '../../runtime/open-files.ts';
import { DISK_FLOOR } from '../../runtime/readiness.ts';
import { advice, check, fault, good, type Finding } from './finding.ts';

/** The version that the documentation names first. */
const USUAL_NODE = 24;
/** Before this release, so that a clock at its start value is found. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** @param version such as `24.1.0`; the launcher refuses those that are too old */
export const checkNode = (version: string): Finding =>
  Number(version.split('.')[0]) < USUAL_NODE
    ? advice('Node.js', `${version} works. Use Node.js ${USUAL_NODE}, which is tested most.`)
    : good('Node.js', version);

/** The isolation of decoders, as a start finds it. */
const checkJail = (mode: Config['sandbox']): Promise<Finding> =>
  check('Jail', () => {
    const jail = findJail(mode);
    const missing = missingIsolation(jail);
    return Promise.resolve(missing === null ? good('Jail', jail.name) : advice('Jail', missing));
  });

/** The program that reads the text of scans. Without it, Burnish does everything else. */
export async function checkText({ tesseract, sandbox }: Pick<Config, 'tesseract' | 'sandbox'>): Promise<Finding> {
  if (tesseract === 'off') return good('Text', 'BURNISH_TESSERACT is off, so that no text is read');
  return check('Text', async () => {
    const program = await findTextProgram(tesseract, findJail(sandbox));
    if ('missing' in program) return advice('Text', `Scans cannot become searchable. ${program.missing}`);
    return good('Text', `Tesseract ${program.version} at ${program.path} reads ${program.languages.join(', ')}`);
  });
}

/** @param missing file names of fonts that reports embed */
export function checkFonts(missing: readonly string[]): Finding {
  if (missing.length === 0) return good('Fonts', 'all fonts of reports are there');
  return fault('Fonts', `Reports need ${missing.join(', ')}. Install Burnish again.`);
}

/** A folder and its disk. It need not exist: its nearest parent tells. */
export async function checkDisk(subject: string, folder: string, setting: string): Promise<Finding> {
  let place = resolve(folder);
  while (!existsSync(place)) place = dirname(place);
  try {
    await access(place, constants.W_OK);
  } catch {
    return fault(subject, `This user cannot write to ${place}. Change its permissions, or set ${setting}.`);
  }
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const words = `${(free / 1e9).toFixed(1)} GB are free at ${place}`;
  return free < DISK_FLOOR
    ? fault(subject, `Only ${words}. Free ${DISK_FLOOR / 1e6} MB or more, or set ${setting}.`)
    : good(subject, words);
}

/** @param nowMs the clock of this machine */
export function checkOwnClock(nowMs: number): Finding {
  const time = new Date(nowMs).toISOString();
  return nowMs < EARLIEST_MS
    ? fault(
        'Clock',
        `The clock of this machine says ${time}. Set it by NTP: signed addresses and certificates need it.`,
      )
    : good('Clock', time);
}

const checkOpenFiles = (): Promise<Finding> =>
  check('Open files', () => {
    assertOpenFiles();
    return Promise.resolve(good('Open files', 'the limit is high enough'));
  });

/** What the machine itself has to offer. */
export async function checkMachine({
  sandbox,
  dataDir,
  tesseract,
}: Pick<Config, 'sandbox' | 'dataDir' | 'tesseract'>): Promise<Finding[]> {
  return [
    checkNode(process.versions.node),
    await checkJail(sandbox),
    await checkText({ tesseract, sandbox }),
    checkFonts(await missingFonts()),
    await checkDisk('Disk', dataDir, 'BURNISH_DATA_DIR'),
    await checkDisk('Temporary', tmpdir(), 'TMPDIR'),
    await checkOpenFiles(),
    checkOwnClock(Date.now()),
  ];
}
