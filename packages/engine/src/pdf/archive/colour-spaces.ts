import {
  isName,
  isRef,
  isStream,
  name,
  serialize,
  UnknownFilter,
  type PdfDict,
  type PdfRef,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';
import { addObstacle, arrayOf, dictOf, nameOf, type ArchivePass } from './archive-pass.ts';

export interface ColourChecker {
  /** Checks a colour space, and defines device CMYK in it. @returns the space to use instead of the given one */
  check(space: PdfValue | undefined, depth?: number): PdfValue;
  /** Defines the device CMYK of operators in a content with these resources. */
  defineCmyk(resources: PdfDict): void;
  usesIccCmyk(): boolean;
}

const DEVICE = new Set(['DeviceGray', 'DeviceRGB', 'DeviceCMYK', 'G', 'RGB', 'CMYK', 'Pattern']);
const CIE = new Set(['CalGray', 'CalRGB', 'Lab']);
const PROCESS_INKS = new Set(['Cyan', 'Magenta', 'Yellow', 'Black', 'None']);
const MAX_DEPTH = 8;
/** ISO 19005-2 section 6.1.13 */
const MAX_COLORANTS = 32;
const MAX_PROFILE_BYTES = 4_000_000;

export function createColourChecker(pass: ArchivePass, cmykProfile: () => PdfRef): ColourChecker {
  const { objects } = pass;
  const seenProfiles = new Map<number, boolean>();
  const separations = new Map<string, string>();
  let hasIccCmyk = false;
  /** Profiles that this pass has added */
  const own = new Set<number>();
  const cmyk = (): PdfValue => {
    const profile = cmykProfile();
    own.add(profile.number);
    return [name('ICCBased'), profile];
  };

  function check(value: PdfValue | undefined, depth = 0): PdfValue {
    const space = objects.resolve(value);
    if (isName(space)) {
      if (!DEVICE.has(space.value)) addObstacle(pass, 'colour-space');
      return space.value === 'DeviceCMYK' || space.value === 'CMYK' ? cmyk() : (value ?? null);
    }
    const family = Array.isArray(space) ? nameOf(pass, space[0]) : undefined;
    if (!Array.isArray(space) || family === undefined || depth > MAX_DEPTH) {
      addObstacle(pass, 'colour-space');
      return value ?? null;
    }
    if (family === 'ICCBased') checkProfile(space[1]);
    else if (family === 'Indexed' || family === 'I' || family === 'Pattern') replaceInner(space, 1, depth);
    else if (family === 'Separation') {
      replaceInner(space, 2, depth);
      checkSeparation(nameOf(pass, space[1]) ?? '', space);
    } else if (family === 'DeviceN') {
      replaceInner(space, 2, depth);
      checkDeviceN(space);
    } else if (DEVICE.has(family)) return check(name(family), depth);
    else if (!CIE.has(family)) addObstacle(pass, 'colour-space');
    return value ?? null;
  }

  function replaceInner(space: PdfValue[], index: number, depth: number): void {
    const inner = space[index];
    if (inner === undefined) return;
    const replaced = check(inner, depth + 1);
    if (replaced !== inner) objects.edit(space)[index] = replaced;
  }

  /** All spot colours of one name have one definition (section 6.2.4.4). */
  function checkSeparation(ink: string, space: PdfValue[]): void {
    const definition = [space[2], space[3]].map((each) => describe(each ?? null)).join(' ');
    const known = separations.get(ink);
    if (known === undefined) separations.set(ink, definition);
    else if (known !== definition) addObstacle(pass, 'spot-colour');
  }

  function describe(value: PdfValue): string {
    const found = objects.resolve(value);
    return isStream(found) ? `stream ${found.number}` : serialize(found);
  }

  function checkDeviceN(space: PdfValue[]): void {
    const inks = arrayOf(pass, space[1]).map((ink) => nameOf(pass, ink) ?? '');
    if (inks.length > MAX_COLORANTS) addObstacle(pass, 'limits');
    const attributes = dictOf(pass, space[4]);
    const colorants = attributes && dictOf(pass, attributes.get('Colorants'));
    const process = attributes && dictOf(pass, attributes.get('Process'));
    const components = new Set(
      process ? arrayOf(pass, process.get('Components')).map((each) => nameOf(pass, each)) : [],
    );
    for (const ink of inks) {
      if (PROCESS_INKS.has(ink) || components.has(ink)) continue;
      const definition = colorants?.get(ink);
      if (definition === undefined) addObstacle(pass, 'spot-colour');
      else check(definition, 1);
    }
  }

  /** Header of a profile (ICC.1 section 7.2): class, space and number of components must be those that PDF/A names. */
  function checkProfile(value: PdfValue | undefined): void {
    if (isRef(value) && own.has(value.number)) return;
    const profile = objects.resolve(value);
    if (!isStream(profile)) return addObstacle(pass, 'profile');
    const known = seenProfiles.get(profile.number) ?? isAllowed(profile);
    seenProfiles.set(profile.number, known);
    if (!known) addObstacle(pass, 'profile');
    if (objects.resolve(profile.dict.get('N')) === 4) hasIccCmyk = true;
  }

  function isAllowed(profile: PdfStream): boolean {
    const components = objects.resolve(profile.dict.get('N'));
    let data: Buffer;
    try {
      ({ data } = pass.pdf.decode(profile, 'objectStreamBytes', MAX_PROFILE_BYTES));
    } catch (error) {
      if (error instanceof UnknownFilter) return false;
      throw error;
    }
    if (data.length < 128 || data[8]! > 4 || data.toString('latin1', 36, 40) !== 'acsp') return false;
    const [kind, space] = [data.toString('latin1', 12, 16), data.toString('latin1', 16, 20)];
    return (
      ['prtr', 'mntr', 'scnr', 'spac'].includes(kind) &&
      { GRAY: 1, 'RGB ': 3, CMYK: 4, 'Lab ': 3 }[space] === components
    );
  }

  return {
    check,
    defineCmyk(resources) {
      const spaces = dictOf(pass, resources.get('ColorSpace'));
      if (spaces?.has('DefaultCMYK')) return void check(spaces.get('DefaultCMYK'));
      if (spaces) objects.edit(spaces).set('DefaultCMYK', cmyk());
      else objects.edit(resources).set('ColorSpace', new Map([['DefaultCMYK', cmyk()]]));
    },
    usesIccCmyk: () => hasIccCmyk,
  };
}
