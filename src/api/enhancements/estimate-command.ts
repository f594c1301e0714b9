import {
  nameFieldAsync,
  counted,
  formatWithoutAlpha,
  mediaKind,
  planSize,
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  type ImageParameters,
  priceRangeOfImage,
  lowestPriceOfPdf,
  priceOfPdf,
  priceOfAnalyzedPdf,
  type Plan,
  type StoredFile,
} from '@burnish/contract';
import type { PaidWork } from '../../domain/enhancement/paid-work.ts';
import { findPaidWork } from '../../database/uploads/paid-work.ts';
import { toPlanTerms } from '../../domain/accounts/account-limits.ts';
import type { EstimateRepresentation, OrderEstimateRepresentation } from './estimate-schemas.ts';
import { fingerprint } from '../commands/idempotency.ts';
import type { Caller, EnhancementOrder, EstimatePdf } from '../commands/command-types.ts';
import { readOrders, type ReadOrdersDeps, type ReadyUpload } from './read-orders.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { BoundedWork } from '../trouble/bounded-work.ts';

/** Of a PDF, and of an image that has not been inspected. */
const NO_SIZE = { width: null, height: null };
/** Of an image, and of a PDF that the hosted service enhances. */
const UNKNOWN_PDF = { filesize: null, minFilesize: null, maxFilesize: null, masksOnly: 0, expectedImages: null };
/** For commands that leave the estimate to the workflow of the upload */
export const NO_ESTIMATE: OrderEstimateRepresentation = { credits: 0, minCredits: 0, enhancements: [] };

export interface EstimateCommandDeps extends ReadOrdersDeps {
  enhancements: Enhancements;
  estimatePdf: EstimatePdf;
  /** Bounds the work of previews and estimates */
  engineWork: BoundedWork;
}

export function createEstimateCommands(deps: EstimateCommandDeps) {
  const { enhancements, estimatePdf, engineWork } = deps;

  async function computeEstimate(
    upload: ReadyUpload,
    parameters: EnhancementParameters,
    plan: Plan,
  ): Promise<EstimateRepresentation> {
    const { id: uploadId, accountId, objectKey, file, originalFilename, analysis, provider } = upload;
    if (mediaKind(file.mimetype) === 'image') {
      const resolved = resolveImageParameters(parameters);
      const notes = lossNotes(file, resolved);
      const { width, height } = upload.width === 0 ? NO_SIZE : planSize(upload, resolved);
      const price = priceRangeOfImage(resolved, provider, upload);
      return { ...UNKNOWN_PDF, ...price, width, height, notes };
    }
    if (provider === 'hosted' && analysis !== null) {
      const resolved = resolvePdfParameters(parameters, plan.maxResolution);
      const credits = priceOfAnalyzedPdf(analysis, resolved);
      return { ...NO_SIZE, ...UNKNOWN_PDF, credits, minCredits: credits, notes: [] };
    }
    const terms = toPlanTerms(plan);
    const { mimetype, size, sha256 } = file;
    const source = { uploadId, objectKey, mimetype, originalFilename, size, sha256 };
    const order = { ...file, plan: terms, parameters };
    const paid = provider === 'local' ? await findPaidWork(enhancements, accountId, order) : undefined;
    const already = paid === undefined ? {} : { paidExcept: paid.paidExcept };
    const key = `${uploadId} ${fingerprint({ parameters, plan: terms, ...already })}`;
    const { work, bytes, range, pictures } = await engineWork.share(key, accountId, () =>
      estimatePdf({ enhancementId: `estimate of ${uploadId}`, source, parameters, plan: terms, ...already }),
    );
    const [minCredits, credits] = [lowestPriceOfPdf(work), priceOfPdf(work)];
    const { masksOnly = 0 } = work;
    const notes = paid === undefined ? [] : [paidNote(paid, credits)];
    const sizes = { filesize: bytes, minFilesize: range.least, maxFilesize: range.most };
    return { ...NO_SIZE, credits, minCredits, ...sizes, masksOnly, expectedImages: pictures, notes };
  }

  return {
    /**
     * Estimates the prices of enhancements and the sizes of their results in bytes, without writing records or calling a
     * workflow. The size is known for PDFs that the engine of this instance enhances.
     * @throws Failure NOT_FOUND, PDF_NOT_ANALYZED, or with a field such as `enhancements[2].mode`
     */
    async estimate(
      caller: Caller,
      uploadId: string,
      orders: readonly Pick<EnhancementOrder, 'parameters' | 'preset'>[],
    ): Promise<OrderEstimateRepresentation> {
      const { upload, given } = await readOrders(deps, caller, uploadId, orders);
      const estimates: EstimateRepresentation[] = [];
      // One by one: a PDF takes the engine's time.
      for (const [index, parameters] of given.entries())
        estimates.push(
          await nameFieldAsync(`enhancements[${index}].`, () => computeEstimate(upload, parameters, caller.plan)),
        );
      const sum = (name: 'credits' | 'minCredits') => estimates.reduce((total, each) => total + each[name], 0);
      return { credits: sum('credits'), minCredits: sum('minCredits'), enhancements: estimates };
    },
  };
}

export type EstimateCommands = ReturnType<typeof createEstimateCommands>;

const paidNote = ({ basedOn }: PaidWork, credits: number): string =>
  `${counted(credits, 'credit')}: pages that ${basedOn} has paid cost nothing again.`;

function lossNotes(file: StoredFile, { outputFormat }: ImageParameters): string[] {
  const format = formatWithoutAlpha(file, outputFormat);
  if (format === undefined) return [];
  return [`Transparency will be replaced by white: ${format} does not support it. outputFormat WEBP keeps it.`];
}
