import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { enhancedPdfImageSchema, pdfImageSchema, pdfImagesQuery, previewQuery } from '../previews/preview-schemas.ts';
import { timelineEntrySchema } from '../uploads/timeline-operations.ts';
import { pageQuery } from '../schemas/paging.ts';
import { answer, pageAnswer, problems } from './responses.ts';

const upload = z.object({
  id: z.string().meta({ description: 'Id of the upload', example: 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const enhancement = z.object({
  id: z.string().meta({ description: 'Id of the enhancement', example: 'enh_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const number = z.string().meta({ description: 'Number of the image, from `pdf-images`', example: '12' });
const refusals = problems('NOT_FOUND', 'CORRUPT_FILE', 'PROCESSING_LIMIT', 'TOO_MANY_PIXELS', 'UNSUPPORTED_MEDIA_TYPE');

const PICTURE =
  'WebP in sRGB, upright, made when it is first asked for and kept until the upload is deleted. One is made at a time: where too many wait, the answer is `RATE_LIMITED` with `Retry-After`.';

function picture(
  operationId: string,
  summary: string,
  description: string,
  path: z.ZodObject,
): { get: ZodOpenApiOperationObject } {
  return {
    get: {
      operationId,
      tags: ['Previews'],
      summary,
      description: `${description} ${PICTURE}`,
      requestParams: { path, query: previewQuery },
      responses: {
        '200': {
          description: 'The picture.',
          content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
        },
        '304': { description: 'The picture is the one that `If-None-Match` names.' },
        ...refusals,
      },
    },
  };
}

const images = (item: z.ZodType) =>
  answer(
    'A page, in the order of the pages of the PDF. `total` counts all of them; at most 5,000 are listed.',
    z.object({
      items: z.array(item),
      next: z.string().nullable().meta({ description: 'Hand it back as `after`; null on the last page.' }),
      total: z.number().int(),
    }),
  );

/** What people look at. */
export const previewPaths: ZodOpenApiPathsObject = {
  '/v1/uploads/{id}/preview': picture(
    'previewUpload',
    'See an upload',
    'The original; of a PDF the largest image on the first page that has one.',
    upload,
  ),
  '/v1/enhancements/{id}/preview': picture(
    'previewEnhancement',
    'See a result',
    'The result; of a PDF as of an upload.',
    enhancement,
  ),
  '/v1/uploads/{id}/pdf-images': {
    get: {
      operationId: 'listPdfImages',
      tags: ['Previews'],
      summary: 'List the images of a PDF that can be enhanced',
      requestParams: { path: upload, query: pdfImagesQuery },
      responses: { '200': images(pdfImageSchema), ...refusals },
    },
  },
  '/v1/enhancements/{id}/pdf-images': {
    get: {
      operationId: 'listEnhancedPdfImages',
      tags: ['Previews'],
      summary: 'List the images of a PDF that an enhancement changed',
      requestParams: { path: enhancement, query: pdfImagesQuery },
      responses: { '200': images(enhancedPdfImageSchema), ...refusals },
    },
  },
  '/v1/uploads/{id}/pdf-images/{number}/preview': picture(
    'previewPdfImage',
    'See an image of a PDF',
    'As the original has it; masks are not applied.',
    upload.extend({ number }),
  ),
  '/v1/enhancements/{id}/pdf-images/{number}/preview': picture(
    'previewEnhancedPdfImage',
    'See an enhanced image of a PDF',
    'As the result has it; masks are not applied.',
    enhancement.extend({ number }),
  ),
  '/v1/uploads/{id}/timeline': {
    get: {
      operationId: 'readTimeline',
      tags: ['Uploads'],
      summary: 'Read what happened to an upload and its enhancements, oldest first',
      description: 'Kept until seven days after the deletion of the upload.',
      requestParams: { path: upload, query: pageQuery },
      responses: { '200': pageAnswer(timelineEntrySchema), ...problems('NOT_FOUND') },
    },
  },
};
