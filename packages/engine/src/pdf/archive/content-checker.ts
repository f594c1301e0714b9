import {
  isDict,
  isName,
  isStream,
  isString,
  SyntaxFault,
  type PdfDict,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';
import { contentOperators, type ContentOperator } from '../pages/content-operators.ts';
import { decodeContent } from '../pages/decode-content.ts';
import { assertWorkWithin, WORK_LIMITS } from '../work-limits.ts';
import { addObstacle, dictOf, dropKeys, nameOf, type ArchivePass } from './archive-pass.ts';
import type { ColourChecker } from './colour-spaces.ts';
import { checkGraphicsState, isIntent, overprints } from './graphics-states.ts';
import { checkImage, isInlineImageAllowed } from './archived-images.ts';

/** All operators of ISO 32000-1 annex A. */
const OPERATORS = new Set(
  `b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EMC ET EX f F f* G g gs h i J j K k l m M MP n q Q re RG rg ri
   s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "`.split(/\s+/),
);
/** ISO 19005-2 section 6.1.13 */
const LIMITS = { saved: 28, integer: 2_147_483_647, stringBytes: 32_767, nameBytes: 127 } as const;
const INVISIBLE = 3;

interface TextState {
  font: PdfDict | undefined;
  mode: number;
}

export interface ContentChecker {
  checkPage(content: Buffer, resources: PdfDict): void;
  /** @param parent resources of the content that draws the form */
  checkForm(form: PdfStream, parent: PdfDict, text?: TextState): void;
  /** Checks the colour space of the transparency group of a page or a form. */
  checkGroup(dict: PdfDict): void;
  /** Whether a graphics state that was used overprints, which PDF/A forbids with CMYK of a profile (section 6.2.4.2) */
  overprints(): boolean;
}

export function createContentChecker(pass: ArchivePass, colours: ColourChecker): ContentChecker {
  const { objects, fonts } = pass;
  /** Forms and glyphs that were checked, by number, state and page */
  const checked = new Set<string>();
  const adopted = new Map<number, PdfDict>();
  let [tokens, depth] = [0, 0];
  let hasOverprint = false;

  function check(content: Buffer, resources: PdfDict, text: TextState): void {
    const saved: TextState[] = [];
    let state = { ...text };
    try {
      for (const operator of contentOperators(content)) {
        const { name, operands } = operator;
        assertWorkWithin('tokens', (tokens += 1 + operands.length));
        if (!OPERATORS.has(name)) addObstacle(pass, 'content');
        if (!operands.every(isWithinLimits)) addObstacle(pass, 'limits');
        if (name === 'q') {
          saved.push({ ...state });
          if (saved.length > LIMITS.saved) addObstacle(pass, 'limits');
        } else if (name === 'Q') state = saved.pop() ?? state;
        else run(operator, content, resources, state);
      }
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      addObstacle(pass, 'content');
    }
  }

  function run(operator: ContentOperator, content: Buffer, resources: PdfDict, state: TextState): void {
    const { name, operands } = operator;
    const last = operands.at(-1);
    switch (name) {
      case 'k':
      case 'K':
        return colours.defineCmyk(resources);
      case 'cs':
      case 'CS':
        return checkSpace(last, resources);
      case 'sc':
      case 'scn':
      case 'SCN':
        if (isName(last)) checkPattern(named(resources, 'Pattern', last), resources);
        return;
      case 'sh':
        return checkShading(named(resources, 'Shading', last));
      case 'gs':
        return applyState(named(resources, 'ExtGState', last), resources, state);
      case 'ri':
        if (!isIntent(pass, last)) addObstacle(pass, 'intent');
        return;
      case 'Do':
        return drawObject(named(resources, 'XObject', last), resources, state);
      case 'BI':
        if (
          !isInlineImageAllowed(content.subarray(operator.from, operator.to), (space) => checkSpace(space, resources))
        )
          addObstacle(pass, 'inline-image');
        return;
      case 'BDC':
      case 'DP':
        if (isName(last)) named(resources, 'Properties', last);
        return;
      case 'Tf':
        state.font = dictOf(pass, named(resources, 'Font', operands.at(-2)));
        return;
      case 'Tr':
        state.mode = typeof last === 'number' ? last : state.mode;
        return;
      case 'Tj':
      case 'TJ':
      case "'":
      case '"':
        return showText(last, content.subarray(operator.from, operator.to), resources, state);
    }
  }

  /** Returns an entry of the resources, which must exist. */
  function named(resources: PdfDict, category: string, key: PdfValue | undefined): PdfValue {
    const entries = dictOf(pass, resources.get(category));
    const found = isName(key) ? (entries?.get(key.value) ?? null) : null;
    if (objects.resolve(found) === null) addObstacle(pass, 'resources');
    return found;
  }

  function checkSpace(value: PdfValue | undefined, resources: PdfDict): void {
    const space = nameOf(pass, value);
    if (space === 'DeviceCMYK' || space === 'CMYK') return colours.defineCmyk(resources);
    if (space === undefined || /^(?:Device(?:Gray|RGB)|Pattern|G|RGB)$/.test(space)) return;
    const spaces = dictOf(pass, resources.get('ColorSpace'));
    const found = spaces?.get(space);
    if (spaces === undefined || found === undefined) return addObstacle(pass, 'resources');
    const replaced = colours.check(found);
    if (replaced !== found) objects.edit(spaces).set(space, replaced);
  }

  function checkPattern(value: PdfValue, resources: PdfDict): void {
    const pattern = objects.resolve(value);
    if (isStream(pattern)) return checkForm(pattern, resources);
    if (!isDict(pattern)) return;
    checkShading(pattern.get('Shading') ?? null);
    const state = dictOf(pass, pattern.get('ExtGState'));
    if (state) applyState(state, resources, { font: undefined, mode: 0 });
  }

  function checkShading(value: PdfValue): void {
    const shading = objects.resolve(value);
    const dict = isStream(shading) ? shading.dict : isDict(shading) ? shading : undefined;
    if (dict === undefined) return;
    const space = dict.get('ColorSpace');
    const replaced = colours.check(space);
    if (replaced !== space) objects.edit(dict).set('ColorSpace', replaced);
  }

  function applyState(value: PdfValue, resources: PdfDict, text: TextState): void {
    const dict = dictOf(pass, value);
    if (dict === undefined) return;
    checkGraphicsState(pass, dict);
    hasOverprint ||= overprints(pass, dict);
    const font = objects.resolve(dict.get('Font'));
    if (Array.isArray(font)) text.font = dictOf(pass, font[0]);
    const mask = dictOf(pass, dict.get('SMask'));
    const group = mask && objects.resolve(mask.get('G'));
    if (isStream(group)) checkForm(group, resources);
  }

  function drawObject(value: PdfValue, resources: PdfDict, text: TextState): void {
    const object = objects.resolve(value);
    if (!isStream(object)) return;
    const subtype = nameOf(pass, object.dict.get('Subtype'));
    if (subtype === 'Image') drawImage(object);
    else if (subtype === 'Form') checkForm(object, resources, text);
    else addObstacle(pass, 'xobject');
  }

  function drawImage(image: PdfStream): void {
    const key = `image ${image.number} ${pass.page ?? 0}`;
    if (checked.has(key)) return;
    checked.add(key);
    checkImage(pass, colours, image);
  }

  function checkForm(form: PdfStream, parent: PdfDict, text: TextState = { font: undefined, mode: 0 }): void {
    const key = `${form.number} ${text.mode} ${pass.page ?? 0}`;
    const { dict } = form;
    let resources = dictOf(pass, dict.get('Resources'));
    const before = adopted.get(form.number);
    if (before !== undefined && before !== parent) addObstacle(pass, 'resources');
    if (checked.has(key)) return;
    checked.add(key);
    if (resources === undefined) {
      // A form without resources uses those of the content that draws it, which PDF/A forbids.
      adopted.set(form.number, parent);
      objects.edit(dict).set('Resources', parent);
      resources = parent;
    }
    if (dict.has('Ref') || dict.has('PS') || nameOf(pass, dict.get('Subtype2')) === 'PS') addObstacle(pass, 'xobject');
    dropKeys(pass, dict, ['OPI']);
    checkGroup(dict);
    if (depth >= WORK_LIMITS.formDepth.max) return addObstacle(pass, 'content');
    depth += 1;
    check(decodeContent(pass.pdf, [form]), resources, text);
    depth -= 1;
  }

  /** The colour space in which a group blends its content is a colour space as any other. */
  function checkGroup(dict: PdfDict): void {
    const group = dictOf(pass, dict.get('Group'));
    const space = group?.get('CS');
    if (group === undefined || space === undefined) return;
    const replaced = colours.check(space);
    if (replaced !== space) objects.edit(group).set('CS', replaced);
  }

  function showText(value: PdfValue | undefined, raw: Buffer, resources: PdfDict, { font, mode }: TextState): void {
    const strings = (Array.isArray(value) ? value : [value ?? null]).filter(isString);
    if (strings.some(({ hex }) => hex) && !hasWholeBytes(raw)) addObstacle(pass, 'content');
    if (font === undefined) return addObstacle(pass, 'resources');
    for (const { bytes } of strings) fonts.add(font, bytes, mode !== INVISIBLE, pass.page);
    if (nameOf(pass, font.get('Subtype')) === 'Type3') checkGlyphs(font, resources);
  }

  /** Checks the glyphs of a Type 3 font, which are content. */
  function checkGlyphs(font: PdfDict, parent: PdfDict): void {
    const glyphs = dictOf(pass, font.get('CharProcs'));
    const resources = dictOf(pass, font.get('Resources')) ?? parent;
    for (const value of glyphs?.values() ?? []) {
      const glyph = objects.resolve(value);
      if (!isStream(glyph)) continue;
      const key = `glyph ${glyph.number} ${pass.page ?? 0}`;
      if (checked.has(key)) continue;
      checked.add(key);
      if (depth >= WORK_LIMITS.formDepth.max) return addObstacle(pass, 'content');
      depth += 1;
      check(decodeContent(pass.pdf, [glyph]), resources, { font: undefined, mode: 0 });
      depth -= 1;
    }
  }

  return {
    checkPage: (content, resources) => check(content, resources, { font: undefined, mode: 0 }),
    checkForm,
    checkGroup,
    overprints: () => hasOverprint,
  };
}

/** Whether hexadecimal strings have an even number of digits, and nothing else (ISO 19005-2 section 6.1.6). */
function hasWholeBytes(raw: Buffer): boolean {
  const text = raw.toString('latin1').replace(/\((?:\\[\s\S]|[^\\)])*\)/g, '');
  return [...text.matchAll(/<([^>]*)>/g)].every(([, digits]) => /^(?:\s*[0-9A-Fa-f]\s*[0-9A-Fa-f]\s*)*$/.test(digits!));
}

/** ISO 19005-2 section 6.1.13 */
export function isWithinLimits(value: PdfValue): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Math.abs(value) <= LIMITS.integer;
  if (isString(value)) return value.bytes.length <= LIMITS.stringBytes;
  if (isName(value)) return value.value.length <= LIMITS.nameBytes;
  if (Array.isArray(value)) return value.every(isWithinLimits);
  if (isDict(value)) return [...value].every(([key, item]) => key.length <= LIMITS.nameBytes && isWithinLimits(item));
  return true;
}
