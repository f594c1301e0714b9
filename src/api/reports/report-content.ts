import {
  counted,
  formatNumber,
  outcomeInWords,
  MAX_REPORTED_NOTES,
  MAX_REPORTED_TEXT,
  mediaKind,
  NO_TARGET,
  resolveImageParameters,
  type Fidelity,
  type PdfParameters,
  type PdfWork,
  type PlannedImages,
  type ReportContent,
  type ReportedImage,
  SEED_PLANS,
  creditRange,
  type Enhancement,
  lowestPriceOfPdf,
  priceOfPdf,
  priceRangeOfImage,
  Failure,
  type Upload,
} from '@burnish/contract';
import { assertFits } from '../../domain/enhancement/order-rules.ts';

type Section = ReportContent['sections'][number];
type Row = readonly [name: string, value: string];

/** The images of a PDF, and the parameters of the order that they are counted for. */
export interface OrderPlan {
  images: PlannedImages;
  parameters: PdfParameters;
}

/** The texts of a report, without its pictures. */
export type ReportTexts = Omit<ReportContent, 'images' | 'pages'>;

/** The facts about a file that a press needs before its enhancement. */
export function preflightTexts(
  upload: Upload,
  enhancements: readonly Enhancement[],
  version: string,
  plan: OrderPlan | null,
): ReportTexts {
  return {
    title: 'Preflight',
    subtitle: clipped(upload.originalFilename),
    foot: `Burnish preflight of ${upload.id}, engine ${version}`,
    madeAt: upload.finishedAt ?? upload.createdAt,
    sections: [
      fileSection(upload),
      ...analysisSection(upload, plan),
      ...pricesSection(upload),
      ...ordersSection(enhancements),
    ],
    notes: null,
  };
}

export function proofTexts(upload: Upload, enhancement: Enhancement, plan: OrderPlan | null): ReportTexts {
  const { id, engine, createdAt, finishedAt } = enhancement;
  return {
    title: 'Proof',
    subtitle: clipped(enhancement.result?.filename ?? upload.originalFilename),
    foot: `Burnish proof of ${id}, engine ${engine?.version ?? 'unknown'}`,
    madeAt: finishedAt ?? createdAt,
    sections: [
      fileSection(upload),
      ...(plan === null ? [] : [planSection(plan, 'Plan of this order')]),
      enhancementSection(enhancement),
      resultSection(enhancement),
    ],
    notes: notesOf(engine),
  };
}

function notesOf(engine: Enhancement['engine']): ReportTexts['notes'] {
  if (engine === null || engine.notes.length === 0) return null;
  return { heading: 'Notes of the engine', texts: engine.notes.slice(0, MAX_REPORTED_NOTES).map(clipped) };
}

const SIGNED = 'The PDF is signed. A changed image invalidates the signature, so the order has to allow that.';

function fileSection({ id, originalFilename, file, width, height, createdAt, analysis }: Upload): Section {
  const pages = analysis === null ? [] : [row('Pages', analysis.statistics.pages)];
  const signature = analysis?.statistics.signed ? [['Signature', SIGNED] as const] : [];
  return {
    heading: 'Original',
    rows: [
      ['Name', clipped(originalFilename)],
      ['Type', file?.mimetype ?? 'unknown'],
      ['Size', counted(file?.size ?? 0, 'byte')],
      ...(width > 0 ? [['Pixels', pixels({ width, height })] as const] : []),
      ...pages,
      ...signature,
      ['SHA-256', file?.sha256 ?? 'unknown'],
      ['Upload', id],
      ['Received', moment(createdAt)],
    ],
  };
}

function analysisSection({ subStatus }: Upload, plan: OrderPlan | null): Section[] {
  if (subStatus === null) return [];
  if (plan === null) return [{ heading: 'Analysis', rows: [['State', subStatus]] }];
  return [planSection(plan, 'Analysis with the usual settings')];
}

const ENLARGEMENTS = { X1: 'Tone and colour', X2: 'Enlarged 2 times', X4: 'Enlarged 4 times' } as const;

/** What the enhancement of an image costs with the usual settings, for each size of the result that it may have. */
function pricesSection(upload: Upload): Section[] {
  const { file, provider } = upload;
  if (file === null || mediaKind(file.mimetype) === 'pdf') return [];
  const rows = Object.entries(ENLARGEMENTS).map(([factor, name]): Row => {
    const parameters = { upscalingFactor: factor as keyof typeof ENLARGEMENTS };
    try {
      assertFits(upload, SEED_PLANS.FREE, parameters);
    } catch (error) {
      if (error instanceof Failure) return [name, error.message];
      throw error;
    }
    const { minCredits, credits } = priceRangeOfImage(resolveImageParameters(parameters), provider);
    return [name, creditRange(minCredits, credits)];
  });
  return [{ heading: 'Price with the usual settings', rows }];
}

/** What an order does to the images of a PDF, by its own parameters. */
function planSection({ images, parameters }: OrderPlan, heading: string): Section {
  const { total, below, work, shortfall } = images;
  const { masksOnly = 0 } = work;
  const isEnlarging = parameters.targetResolution !== NO_TARGET;
  const target = `${formatNumber(parameters.targetResolution)} DPI`;
  const enlarged = `To enlarge, by more than ${formatNumber(parameters.upscalingThreshold)} times`;
  const reached =
    shortfall && `${counted(shortfall.images, 'image')}, the lowest at ${formatNumber(shortfall.lowest)} DPI`;
  return {
    heading: isEnlarging ? `${heading}, for ${target}` : heading,
    rows: [
      row('Images', total),
      ...(isEnlarging ? [row(`Below ${target}`, below), row(enlarged, work.resizeOnly + work.both)] : []),
      ...(masksOnly > 0 ? [row('Masks alone to enlarge', masksOnly)] : []),
      row(parameters.mode === 'DOCUMENT' ? 'Pages to clean' : 'Colour to improve', work.colorOnly + work.both),
      ...(reached === null ? [] : [[`Stay below ${target}`, reached] as const]),
      ['Price', creditRange(lowestPriceOfPdf(work), priceOfPdf(work))],
    ],
  };
}

function ordersSection(enhancements: readonly Enhancement[]): Section[] {
  if (enhancements.length === 0) return [];
  const shown = enhancements.slice(-MAX_ORDERS);
  const rows = shown.map(({ id, status, chargedCredits, createdAt }): Row => {
    const price = chargedCredits === null ? '' : `, ${counted(chargedCredits, 'credit')}`;
    return [moment(createdAt), `${id}: ${status}${price}`];
  });
  const more = enhancements.length - shown.length;
  return [{ heading: 'Enhancements', rows: more > 0 ? [...rows, ['Earlier', formatNumber(more)]] : rows }];
}

/** Maximum number of enhancements in a preflight report. */
const MAX_ORDERS = 30;

function enhancementSection(enhancement: Enhancement): Section {
  const { id, engine, parameters, createdAt, finishedAt, reusedFrom, basedOn } = enhancement;
  const { estimatedCredits, chargedCredits } = enhancement;
  const asked = Object.entries(parameters).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const models = engine?.models ?? [];
  return {
    heading: 'Enhancement',
    rows: [
      ['Enhancement', id],
      ['Ordered', moment(createdAt)],
      ...(finishedAt === null ? [] : [['Finished', moment(finishedAt)] as const]),
      ['Parameters', clipped(asked.join(', ') || 'the defaults')],
      ['Engine', engine?.version ?? 'unknown'],
      ...(models.length > 0 ? [['Networks', clipped(models.join(', '))] as const] : []),
      ['Steps', clipped(engine?.steps.join(', ') || 'none')],
      ...(engine?.fidelity ? [['Fidelity', fidelityWords(engine.fidelity)] as const] : []),
      ['Credits', `${formatNumber(chargedCredits ?? 0)} charged, ${formatNumber(estimatedCredits ?? 0)} estimated`],
      ...(reusedFrom === null ? [] : [['Reused from', reusedFrom] as const]),
      ...(basedOn ? [['Paid before', `pages of ${basedOn}`] as const] : []),
    ],
  };
}

function fidelityWords({ psnr, maxDifference }: Fidelity): string {
  if (psnr === null) return 'equal to the original when it is reduced again';
  return `PSNR ${psnr} dB, at most ${maxDifference} of 255 levels, when it is reduced again`;
}

function resultSection({ result }: Enhancement): Section {
  if (result === null) return { heading: 'Result', rows: [['State', 'deleted']] };
  const { filename, mimetype, size, originalSize, sha256, width, height } = result;
  const growth = `, ${(size / originalSize).toFixed(2)} times the original`;
  return {
    heading: 'Result',
    rows: [
      ['Name', clipped(filename)],
      ['Type', mimetype],
      ['Size', `${counted(size, 'byte')}${growth}`],
      ...(width > 0 ? [['Pixels', pixels({ width, height })] as const] : []),
      ['SHA-256', sha256],
    ],
  };
}

/** The texts of an image of a PDF. @param enhancement null for a report before one */
export function describeImage(image: ReportedImage, enhancement: Enhancement | null) {
  const { number, page, pages, width, height, resolution, after, outcome, work } = image;
  const others = pages > 1 ? `, and on ${counted(pages - 1, 'more page')}` : '';
  const cost = work === null ? 'with the first part of its picture' : priceInWords(work, enhancement !== null);
  return {
    title: `Page ${page}${others}, object ${number}`,
    before: `${after === null ? '' : 'Before: '}${pixels({ width, height })}, ${dpi(resolution)}`,
    after: after && `After: ${pixels(after)}, ${dpi(after.resolution)}`,
    lines: [
      outcomeInWords(outcome),
      `${enhancement === null ? 'Price' : enhancement.basedOn ? 'Price unless paid before' : 'Charge'}: ${cost}`,
    ],
  };
}

const priceInWords = (work: PdfWork, isDone: boolean): string =>
  creditRange(isDone ? priceOfPdf(work) : lowestPriceOfPdf(work), priceOfPdf(work));

export const pixels = ({ width, height }: { width: number; height: number }): string =>
  `${formatNumber(width)} × ${formatNumber(height)} pixels`;
const dpi = (resolution: number | null): string =>
  resolution === null ? 'without extent' : `${formatNumber(resolution)} DPI`;
const row = (name: string, value: number): Row => [name, formatNumber(value)];
const clipped = (text: string): string =>
  text.length > MAX_REPORTED_TEXT ? `${text.slice(0, MAX_REPORTED_TEXT - 1)}…` : text;

/** ISO 8601 → `2026-11-21 14:39 UTC` */
const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
