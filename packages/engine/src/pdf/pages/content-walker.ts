import { decodeContent } from './decode-content.ts';
import { createDrawList, type Draw, type DrawContext } from './draw-list.ts';
import { createGlyphImages } from './glyph-images.ts';
import { readInlineImage } from '../images/inline-image.ts';
import {
  createLayers,
  createParser,
  EndOfInput,
  isDict,
  isKeyword,
  isName,
  isStream,
  SyntaxFault,
  type Layers,
  type PdfDict,
  type PdfDocument,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';
import { WORK_LIMITS, assertWorkWithin, workLimitExceeded } from '../work-limits.ts';
import { IDENTITY, toMatrix, multiply, type Matrix } from './matrix.ts';

export interface ContentWalker {
  /** Begins a page, whose limits count from here. */
  openPage(): PageDraws;
  /** Images in the glyphs of all Type 3 fonts selected so far */
  glyphImages(): ReadonlySet<Draw['image']>;
  /** Images in all soft-mask groups so far: their appearance defines the opacity of other content */
  maskImages(): ReadonlySet<Draw['image']>;
  isOff: Layers['isOff'];
}

/** Collects the draws of one page. */
export interface PageDraws {
  readonly draws: readonly Draw[];
  /** Adds the draws of a content stream. @throws EngineError of a limit */
  addContent(content: Buffer, resources: PdfDict, matrix: Matrix): void;
  /** Adds the draws of a form, with its own `Matrix` applied. @throws EngineError of a limit */
  addForm(form: PdfStream, matrix: Matrix, context: Partial<DrawContext>): void;
}

/** What interpreting a content stream finds and costs, with the forms in it counted at each use. */
interface Walked {
  draws: readonly Draw[];
  /** Operators and operands */
  pageTokens: number;
  /** Uses of forms, patterns and soft-mask groups */
  pageForms: number;
}

const OPERANDS_KEPT = 64;

/** Operators that take about as long to read as one draw takes to be placed. */
const TOKENS_OF_DRAW = 8;

const NOTHING: Walked = { draws: [], pageTokens: 0, pageForms: 0 };

const isHidden = (marked: readonly boolean[]): boolean => marked.includes(true);

const toDraw = (image: Draw['image'], matrix: Matrix, hidden: boolean): Draw => ({
  image,
  matrix,
  count: 1,
  inPattern: false,
  hidden,
  scattered: false,
});

/**
 * Walks content streams for the drawn sizes of images (ISO 32000-1 sections 8.4 to 8.10). It interprets `q Q cm Do BI
 * gs`, marked content of layers, and the patterns of colour operators. A form draws the same in its own space wherever
 * it is used, so each form is walked once and cached.
 */
export function createContentWalker(pdf: PdfDocument): ContentWalker {
  const remembered = new Map<number, Walked>();
  const inherited = new WeakMap<PdfDict, Map<number, Walked>>();
  const open = new Set<number>();
  const inMasks = new Set<Draw['image']>();
  const glyphs = createGlyphImages(pdf, (content, resources) => walk(content, resources).draws);
  const layers = createLayers(pdf);
  let tokens = 0;
  type MeasuredList = ReturnType<typeof createMeasuredList>;

  function walk(content: Buffer, resources: PdfDict): Walked {
    const list = createMeasuredList();
    const parser = createParser(content, { references: false });
    const operands: PdfValue[] = [];
    const saved: Matrix[] = [];
    let matrix: Matrix = IDENTITY;
    const marked: boolean[] = [];
    for (;;) {
      try {
        const token = parser.next();
        assertWorkWithin('tokens', (tokens += 1));
        list.spend(1, 0);
        if (!isKeyword(token)) {
          if (operands.length >= OPERANDS_KEPT) operands.shift();
          operands.push(token);
          continue;
        }
        switch (token.value) {
          case 'q':
            if (saved.length >= WORK_LIMITS.graphicsStates.max) throw workLimitExceeded('graphicsStates');
            saved.push(matrix);
            break;
          case 'Q':
            matrix = saved.pop() ?? matrix;
            break;
          case 'cm':
            matrix = multiply(toMatrix(operands.slice(-6)), matrix);
            break;
          case 'BI':
            list.add(toDraw(readInlineImage(parser, content), matrix, isHidden(marked)));
            break;
          case 'Do':
            drawObject(named(resources, 'XObject', operands), matrix, resources, list, isHidden(marked));
            break;
          case 'gs':
            drawSoftMask(named(resources, 'ExtGState', operands), matrix, resources, list, isHidden(marked));
            break;
          case 'Tf':
            glyphs.look(entryNamed(resources, 'Font', operands.at(-2)), resources);
            break;
          case 'scn':
          case 'SCN':
            drawPattern(named(resources, 'Pattern', operands), resources, list, isHidden(marked));
            break;
          case 'BMC':
          case 'BDC':
            if (marked.length >= WORK_LIMITS.graphicsStates.max) throw workLimitExceeded('graphicsStates');
            marked.push(token.value === 'BDC' && startsHidden(operands, resources));
            break;
          case 'EMC':
            marked.pop();
            break;
        }
        operands.length = 0;
      } catch (error) {
        if (error instanceof EndOfInput) return list.walked();
        // Other readers also continue after an unknown operator.
        if (!(error instanceof SyntaxFault)) throw error;
        operands.length = 0;
      }
    }
  }

  function entryNamed(resources: PdfDict, category: string, key: PdfValue | undefined): PdfValue | undefined {
    const entries = pdf.resolve(resources.get(category));
    return isName(key) && isDict(entries) ? entries.get(key.value) : undefined;
  }

  const named = (resources: PdfDict, category: string, operands: PdfValue[]): PdfValue =>
    pdf.resolve(entryNamed(resources, category, operands.at(-1)));

  /** Returns whether marked content belongs to a layer that is off (ISO 32000-1 section 8.11.3.2). */
  function startsHidden(operands: PdfValue[], resources: PdfDict): boolean {
    const [tag, properties] = operands.slice(-2);
    return isName(tag) && tag.value === 'OC' && layers.isOff(entryNamed(resources, 'Properties', properties));
  }

  function drawObject(
    object: PdfValue,
    matrix: Matrix,
    resources: PdfDict,
    list: MeasuredList,
    inHidden: boolean,
  ): void {
    if (!isStream(object)) return;
    const hidden = inHidden || layers.isOff(object.dict.get('OC'));
    const subtype = pdf.resolve(object.dict.get('Subtype'));
    if (!isName(subtype)) return;
    if (subtype.value === 'Image') list.add(toDraw(object.number, matrix, hidden));
    else if (subtype.value === 'Form') addForm(list, object, resources, matrix, { hidden });
  }

  function drawSoftMask(
    state: PdfValue,
    matrix: Matrix,
    resources: PdfDict,
    list: MeasuredList,
    hidden: boolean,
  ): void {
    const mask = isDict(state) ? pdf.resolve(state.get('SMask')) : null;
    const group = isDict(mask) ? pdf.resolve(mask.get('G')) : null;
    if (!isStream(group)) return;
    for (const { image } of addForm(list, group, resources, matrix, { hidden })) inMasks.add(image);
  }

  /** A tiling pattern uses the space at the start of the content stream, regardless of `cm` (section 8.7.3.1). */
  function drawPattern(pattern: PdfValue, resources: PdfDict, list: MeasuredList, hidden: boolean): void {
    if (isStream(pattern)) addForm(list, pattern, resources, IDENTITY, { inPattern: true, hidden });
  }

  function addForm(
    list: MeasuredList,
    form: PdfStream,
    resources: PdfDict,
    matrix: Matrix,
    context: Partial<DrawContext>,
  ): readonly Draw[] {
    const walked = walkForm(form, resources);
    list.addWalked(walked, matrix, context);
    list.spend(0, 1);
    return walked.draws;
  }

  /** A list of draws with the cost of their content. @throws EngineError above the limits of a page or of the document */
  function createMeasuredList() {
    const { draws, add, addAll } = createDrawList();
    let [pageTokens, pageForms] = [0, 0];
    const spend = (byTokens: number, byForms: number): void => {
      assertWorkWithin('pageTokens', (pageTokens += byTokens));
      assertWorkWithin('pageForms', (pageForms += byForms));
    };
    return {
      add,
      spend,
      addWalked(walked: Walked, matrix: Matrix, context?: Partial<DrawContext>): void {
        spend(walked.pageTokens, walked.pageForms);
        assertWorkWithin('tokens', (tokens += walked.draws.length * TOKENS_OF_DRAW));
        addAll(walked.draws, matrix, context);
      },
      walked: (): Walked => ({ draws, pageTokens, pageForms }),
    };
  }

  function walkForm(form: PdfStream, parentResources: PdfDict): Walked {
    const own = pdf.resolve(form.dict.get('Resources'));
    const resources = isDict(own) ? own : parentResources;
    const known = isDict(own) ? remembered : memoryFor(parentResources);
    const before = known.get(form.number);
    if (before) return before;
    // A form inside itself draws nothing.
    if (open.has(form.number)) return NOTHING;
    if (open.size >= WORK_LIMITS.formDepth.max) throw workLimitExceeded('formDepth');
    open.add(form.number);
    try {
      const list = createMeasuredList();
      const inner = walk(decodeContent(pdf, [form]), resources);
      list.addWalked(inner, toMatrix(resolvedItems(pdf.resolve(form.dict.get('Matrix')))));
      known.set(form.number, list.walked());
      return list.walked();
    } finally {
      open.delete(form.number);
    }
  }

  function memoryFor(resources: PdfDict): Map<number, Walked> {
    const known = inherited.get(resources) ?? new Map<number, Walked>();
    inherited.set(resources, known);
    return known;
  }

  const resolvedItems = (value: PdfValue): PdfValue => (Array.isArray(value) ? value.map(pdf.resolve) : value);

  return {
    openPage() {
      const list = createMeasuredList();
      return {
        draws: list.walked().draws,
        addContent: (content, resources, matrix) => list.addWalked(walk(content, resources), matrix),
        addForm: (form, matrix, context) => void addForm(list, form, new Map(), matrix, context),
      };
    },
    glyphImages: glyphs.found,
    maskImages: () => inMasks,
    isOff: layers.isOff,
  };
}
