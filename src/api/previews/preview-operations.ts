import type { Request, Response } from 'express';
import type { FailureCode } from '@burnish/contract';
import { seqCursor, toPage, type Page, type PageRequest } from '../../database/page.ts';
import type { Caller } from '../commands/command-types.ts';
import { requireRecord } from '../commands/checks.ts';
import { countedPage, sentByHandler } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { refusal } from '../rest/problem-responses.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import {
  enhancedPdfImageSchema,
  imageNumber,
  pageNumber,
  pdfImageSchema,
  pdfPageSchema,
  previewQuery,
} from './preview-schemas.ts';
import type { ShownFile, Previews } from './previews.ts';
import { viewOriginal, viewResult, type Viewed } from './viewed.ts';
import { sendPicture } from './send-picture.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

interface PreviewNeeds {
  uploads: Uploads;
  enhancements: Enhancements;
  previews: Previews;
  storage: Pick<ObjectStore, 'get'>;
}

const tag = 'Previews';
const ofUpload = idPath('upl');
const ofEnhancement = idPath('enh');
const number = imageNumber;
const failures: FailureCode[] = [
  'NOT_FOUND',
  'CORRUPT_FILE',
  'ENCRYPTED_PDF',
  'WRONG_PASSWORD',
  'PROCESSING_LIMIT',
  'TOO_MANY_PIXELS',
  'UNSUPPORTED_MEDIA_TYPE',
  'ORIGINAL_DAMAGED',
  'RESULT_DAMAGED',
];
const PICTURE =
  'WebP in sRGB, upright. The first request renders it, and it is kept until the upload is deleted. Accounts take turns. If too many previews wait, the response is `RATE_LIMITED` with `Retry-After`.';
const picture = sentByHandler({
  '200': { description: 'The picture.', content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } } },
  '304': { description: 'The picture matches `If-None-Match`.' },
  '412': refusal('The picture differs from `If-Match`.'),
});
const PAGE = 'A page, in the order of the pages of the PDF. `total` counts all of them; at most 5,000 are listed.';

async function original({ account }: Caller, id: string, { uploads }: PreviewNeeds): Promise<Viewed> {
  return viewOriginal(requireRecord(await uploads.get(account.id, id)));
}

async function result({ account }: Caller, id: string, { enhancements }: PreviewNeeds): Promise<Viewed> {
  return viewResult(requireRecord(await enhancements.get(account.id, id)));
}

async function originalAndResult(caller: Caller, id: string, deps: PreviewNeeds): Promise<[Viewed, Viewed]> {
  const enhancement = requireRecord(await deps.enhancements.get(caller.account.id, id));
  return [await original(caller, enhancement.uploadId, deps), viewResult(enhancement)];
}

function send({ req, res }: { req: Request<object>; res: Response }, file: ShownFile, deps: PreviewNeeds) {
  return sendPicture(deps.storage, req, res, file);
}

const read = { scope: 'read', method: 'get', tag, failures } as const;
const seen = { ...read, query: previewQuery, answer: picture };
const listed = { ...read, query: pageQuery };

export const previewOperations = [
  operation({
    ...seen,
    operationId: 'previewUpload',
    path: '/v1/uploads/{id}/preview',
    summary: 'Preview an upload',
    description: `Picture of the original. For a PDF: the largest image on the first page with images. ${PICTURE}`,
    parameters: ofUpload,
    async handle({ caller, parameters: { id }, query: { width }, ...http }, deps: PreviewNeeds) {
      await send(http, await deps.previews.file(await original(caller, id, deps), width), deps);
    },
  }),

  operation({
    ...seen,
    operationId: 'previewEnhancement',
    path: '/v1/enhancements/{id}/preview',
    summary: 'Preview a result',
    description: `Picture of the result. For a PDF: the largest image on the first page with images. ${PICTURE}`,
    parameters: ofEnhancement,
    async handle({ caller, parameters: { id }, query: { width }, ...http }, deps: PreviewNeeds) {
      await send(http, await deps.previews.file(await result(caller, id, deps), width), deps);
    },
  }),

  operation({
    ...listed,
    operationId: 'listPdfImages',
    path: '/v1/uploads/{id}/pdf-images',
    summary: 'List the images of a PDF that can be enhanced',
    description: 'The number of an image identifies its preview.',
    parameters: ofUpload,
    answer: countedPage(PAGE, pdfImageSchema),
    async handle({ caller, parameters: { id }, query }, deps: PreviewNeeds) {
      const { total, images } = await deps.previews.pdfImages(await original(caller, id, deps));
      return slicePage({ total, items: images }, pageRequest(query));
    },
  }),

  operation({
    ...listed,
    operationId: 'listEnhancedPdfImages',
    path: '/v1/enhancements/{id}/pdf-images',
    summary: 'List the images of a PDF that an enhancement changed',
    description: 'Images have the same numbers as in the original.',
    parameters: ofEnhancement,
    answer: countedPage(PAGE, enhancedPdfImageSchema),
    async handle({ caller, parameters: { id }, query }, deps: PreviewNeeds) {
      const [source, enhanced] = await originalAndResult(caller, id, deps);
      const { total, images } = await deps.previews.enhancedPdfImages(source, enhanced);
      return slicePage({ total, items: images }, pageRequest(query));
    },
  }),

  operation({
    ...seen,
    operationId: 'previewPdfImage',
    path: '/v1/uploads/{id}/pdf-images/{number}/preview',
    summary: 'Preview an image of a PDF',
    description: `The image in the original, without its mask. ${PICTURE}`,
    parameters: ofUpload.extend({ number }),
    async handle({ caller, parameters, query: { width }, ...http }, deps: PreviewNeeds) {
      const viewed = await original(caller, parameters.id, deps);
      await send(http, await deps.previews.pdfImage(viewed, parameters.number, width), deps);
    },
  }),

  operation({
    ...seen,
    operationId: 'previewEnhancedPdfImage',
    path: '/v1/enhancements/{id}/pdf-images/{number}/preview',
    summary: 'Preview an enhanced image of a PDF',
    description: `The image in the result, without its mask. ${PICTURE}`,
    parameters: ofEnhancement.extend({ number }),
    async handle({ caller, parameters, query: { width }, ...http }, deps: PreviewNeeds) {
      const viewed = await result(caller, parameters.id, deps);
      await send(http, await deps.previews.pdfImage(viewed, parameters.number, width), deps);
    },
  }),

  operation({
    ...listed,
    operationId: 'listPdfPages',
    path: '/v1/uploads/{id}/pdf-pages',
    summary: 'List the pages of a PDF',
    description: 'Each page comes with its size and the areas of the images that can be enhanced.',
    parameters: ofUpload,
    answer: countedPage(PAGE, pdfPageSchema),
    async handle({ caller, parameters: { id }, query }, deps: PreviewNeeds) {
      const { total, pages } = await deps.previews.pdfPages(await original(caller, id, deps));
      return slicePage({ total, items: pages }, pageRequest(query));
    },
  }),

  operation({
    ...listed,
    operationId: 'listEnhancedPdfPages',
    path: '/v1/enhancements/{id}/pdf-pages',
    summary: 'List the pages of a PDF that an enhancement changed',
    description: 'Each page comes with its size and the areas of the images that were enhanced.',
    parameters: ofEnhancement,
    answer: countedPage(PAGE, pdfPageSchema),
    async handle({ caller, parameters: { id }, query }, deps: PreviewNeeds) {
      const [source, enhanced] = await originalAndResult(caller, id, deps);
      const { total, pages } = await deps.previews.enhancedPdfPages(source, enhanced);
      return slicePage({ total, items: pages }, pageRequest(query));
    },
  }),

  operation({
    ...seen,
    operationId: 'previewPdfPage',
    path: '/v1/uploads/{id}/pdf-pages/{page}/preview',
    summary: 'Preview a page of a PDF',
    description: `The page of the original, with annotations. \`full\` is 200 DPI, at most 4,800 pixels per side. ${PICTURE}`,
    parameters: ofUpload.extend({ page: pageNumber }),
    async handle({ caller, parameters, query: { width }, ...http }, deps: PreviewNeeds) {
      const viewed = await original(caller, parameters.id, deps);
      await send(http, await deps.previews.pdfPage(viewed, parameters.page, width), deps);
    },
  }),

  operation({
    ...seen,
    operationId: 'previewEnhancedPdfPage',
    path: '/v1/enhancements/{id}/pdf-pages/{page}/preview',
    summary: 'Preview a page of an enhanced PDF',
    description: `The page of the result that has this number in the original, with annotations. Two pages that \`pdf.split\` made of it stand beside each other. \`full\` is 200 DPI, at most 4,800 pixels per side. ${PICTURE}`,
    parameters: ofEnhancement.extend({ page: pageNumber }),
    async handle({ caller, parameters, query: { width }, ...http }, deps: PreviewNeeds) {
      const viewed = await result(caller, parameters.id, deps);
      await send(http, await deps.previews.pdfPage(viewed, parameters.page, width), deps);
    },
  }),
];

/** A page of a complete list. Its cursor is the number of items before it. */
function slicePage<Item>(
  { total, items }: { total: number; items: readonly Item[] },
  request: PageRequest,
): Page<Item> & { total: number } {
  const [from] = seqCursor.decode(request.after) ?? [0];
  const rows = items.slice(from, from + request.limit + 1);
  return { ...toPage(rows, request, () => seqCursor.encode([from + request.limit])), total };
}
