import type { PdfDocument } from '@burnish/pdf';
import {
  FACTS_FORMAT,
  type PdfParameters,
  type PdfWork,
  MAX_REPORTED_IMAGES,
  type ReportedImage,
  type ReportedImageList,
} from '@burnish/contract/engine';
import { mostBytes } from '../enhance/growth.ts';
import { readImageFacts } from '../images/image-facts.ts';
import type { Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';
import { hasPreview, reasonToLeave } from './eligibility.ts';
import { readFacts, type EligibleImage, type PdfFacts } from './facts.ts';
import { inspectPdf } from './inspect.ts';
import { allImages, findChange } from './list-images.ts';
import { toChange, toMaskChange, whyBelow, whyKept, whyNot, whyOnlyEnlarged } from './outcomes.ts';
import { findShortfall } from './shortfall.ts';
import { countWork, listWork, type ImageWork } from './work.ts';

export interface DescribePdfImagesInput {
  inputPath: string;
  password?: string;
  factsPath?: string;
  /** Local path of a result; absent: describes the effect of a future enhancement */
  resultPath?: string;
  parameters: PdfParameters;
}

/**
 * Lists every image of a PDF in page order, with the actual or expected effect of an enhancement, and the reason for
 * none.
 * @throws EngineError as opening a PDF; PROCESSING_LIMIT
 */
export function describePdfImages(input: DescribePdfImagesInput & Run): Promise<ReportedImageList> {
  const { inputPath, password, resultPath } = input;
  return withPdf({ inputPath, password }, (pdf) =>
    resultPath === undefined
      ? describeImages(input, pdf)
      : withPdf({ inputPath: resultPath, password }, (result) => describeImages(input, pdf, result)),
  );
}

async function describeImages(
  input: DescribePdfImagesInput & Run,
  pdf: PdfDocument,
  result?: PdfDocument,
): Promise<ReportedImageList> {
  const { factsPath, parameters } = input;
  const facts = await loadFacts(pdf, factsPath, input);
  const eligible = byNumber(facts.eligible);
  const plan = listWork(facts, parameters);
  const works = byNumber(plan);
  const growth = mostBytes({ facts, parameters }) - facts.fileBytes;
  const images = await allImages(pdf, input);
  const described = images.slice(0, MAX_REPORTED_IMAGES).map((image): ReportedImage => {
    const before = readImageFacts(pdf, image.number)!;
    const after = result && readImageFacts(result, image.number);
    const reason = reasonToLeave(before);
    const planned = works.get(image.number);
    const shared = {
      ...image,
      shown: hasPreview(before),
      work: planned ? workOfPart(planned, image.number) : NOTHING,
    };
    if (planned === undefined) {
      return { ...shared, after: null, outcome: whyNot(reason, eligible.get(image.number), parameters) };
    }
    const colorsStay = whyOnlyEnlarged(planned, eligible.get(planned.number), parameters);
    if (result === undefined)
      return { ...shared, after: null, outcome: { effect: 'planned', change: toChange(planned), colorsStay } };
    const change = after && findChange(pdf, before, result, after);
    if (after === undefined || change === undefined)
      return { ...shared, work: NOTHING, after: null, outcome: whyKept(planned, pdf.rawLength(before.stream), growth) };
    if (change === 'mask')
      return { ...shared, after: null, outcome: { effect: 'mask-done', change: toMaskChange(planned) } };
    const resolution = image.resolution && Math.round((image.resolution * after.width) / before.width);
    const below = whyBelow(resolution, parameters, after.width < planned.width);
    return {
      ...shared,
      after: { width: after.width, height: after.height, resolution },
      outcome: { effect: 'done', change: toChange(planned), colorsStay, below },
    };
  });
  const { targetResolution } = parameters;
  const shortfall = findShortfall(facts, parameters);
  return {
    total: images.length,
    below: images.filter(({ resolution }) => resolution !== null && resolution < targetResolution).length,
    work: countWork(plan),
    shortfall: shortfall && { images: shortfall.images, lowest: Math.floor(shortfall.lowest) },
    images: described,
  };
}

const NOTHING: PdfWork = { colorOnly: 0, resizeOnly: 0, both: 0 };

/** The first part of a picture counts for all of it. */
const workOfPart = (work: ImageWork, number: number): PdfWork | null =>
  number === work.number ? countWork([work]) : null;

/** Returns the stored facts, or inspects the PDF again when they are missing or of another version. */
async function loadFacts(pdf: PdfDocument, path: string | undefined, run: Run): Promise<PdfFacts> {
  const known = path === undefined ? undefined : await readFacts(path);
  return known?.format === FACTS_FORMAT ? known : inspectPdf(pdf, run);
}

function byNumber<Item extends EligibleImage | ImageWork>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.flatMap((item) => (item.parts ?? [item]).map(({ number }): [number, Item] => [number, item])));
}
