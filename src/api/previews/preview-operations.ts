import { Router } from 'express';
import type { Request, Response } from 'express';
import { seqCursor, toPage, type PageRequest } from '../../database/page.ts';
import { Failure } from '../../domain/failures.ts';
import type { PdfImage, PdfImageList } from '../../domain/upload/preview.ts';
import { found } from '../commands/require-record.ts';
import type { Enhancements, Uploads } from '../ports.ts';
import { callerOf } from '../http/request-context.ts';
import { pageRequest } from '../schemas/paging.ts';
import { fresh, parse } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';
import { createPreviews, viewOriginal, viewResult } from './previews.ts';
import type { PreviewDeps, ShownFile, Viewed } from './previews.ts';
import { imageNumber, pdfImagesQuery, previewQuery } from './preview-schemas.ts';
import { sendPicture } from './send-picture.ts';

export interface PreviewRoutesDeps extends PreviewDeps {
  uploads: Pick<Uploads, 'get'>;
  enhancements: Pick<Enhancements, 'get'>;
}

/** What people look at of uploads and of results: pictures as browsers show them, and the images of PDFs. */
export function previewRoutes(deps: PreviewRoutesDeps): { uploads: Router; enhancements: Router } {
  const previews = createPreviews(deps);
  const original = async (res: Response, id: string): Promise<Viewed> =>
    viewOriginal(found(await deps.uploads.get(callerOf(res).account.id, id)));
  const result = async (res: Response, id: string): Promise<Viewed> =>
    viewResult(found(await deps.enhancements.get(callerOf(res).account.id, id)));
  const send = (req: Request<object>, res: Response, file: ShownFile): Promise<void> =>
    sendPicture(deps.storage, req, res, file);

  function routerOf(prefix: 'upl' | 'enh', view: typeof original): Router {
    const router = Router();
    router.param('id', wellFormedId(prefix));
    router.get('/:id/preview', async (req, res) => {
      const { width } = parse(previewQuery, req.query);
      await send(req, res, await previews.file(await view(res, req.params.id), width));
    });
    router.get('/:id/pdf-images/:number/preview', async (req, res) => {
      const { width } = parse(previewQuery, req.query);
      const number = imageNumber.safeParse(req.params.number);
      if (!number.success) throw new Failure('NOT_FOUND');
      await send(req, res, await previews.pdfImage(await view(res, req.params.id), number.data, width));
    });
    return router;
  }

  const uploads = routerOf('upl', original);
  uploads.get('/:id/pdf-images', async (req, res) => {
    const request = pageRequest(parse(pdfImagesQuery, req.query));
    answerList(req, res, await previews.pdfImages(await original(res, req.params.id)), request);
  });
  const enhancements = routerOf('enh', result);
  enhancements.get('/:id/pdf-images', async (req, res) => {
    const request = pageRequest(parse(pdfImagesQuery, req.query));
    const { id: accountId } = callerOf(res).account;
    const enhancement = found(await deps.enhancements.get(accountId, req.params.id));
    const source = viewOriginal(found(await deps.uploads.get(accountId, enhancement.uploadId)));
    answerList(req, res, await previews.enhancedPdfImages(source, viewResult(enhancement)), request);
  });
  return { uploads, enhancements };
}

/** A page of a list that is there as a whole; its cursor is how many came before. */
function answerList(req: Request<object>, res: Response, { total, images }: PdfImageList, request: PageRequest): void {
  const [from] = seqCursor.decode(request.after) ?? [0];
  const rows = images.slice(from, from + request.limit + 1);
  const { items, nextCursor: next } = toPage<PdfImage>(rows, request, () => seqCursor.encode([from + request.limit]));
  if (next !== null) {
    const query = new URLSearchParams({ ...(req.query as Record<string, string>), after: next });
    res.set('Link', `<${req.baseUrl}${req.path}?${query.toString()}>; rel="next"`);
  }
  fresh(res, { items, next, total });
}
