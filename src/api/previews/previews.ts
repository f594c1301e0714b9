import { rm, writeFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import {
  mediaKind,
  pagesOfResult,
  type EnhancedPdfImage,
  type ListedPdfImage,
  type PdfImage,
  type PdfImageList,
  type PdfPageList,
  type PdfParameters,
  type PreviewSize,
  type ReportContent,
  type ReportedImageList,
  Failure,
  type BuiltLook,
} from '@burnish/contract';
import { factsKey, previewKey } from '../../domain/files/object-keys.ts';
import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { ObjectStore, StoredObject } from '../../storage/object-store.ts';
import { readIntact } from '../files/read-intact.ts';
import type { BoundedWork } from '../trouble/bounded-work.ts';
import type { Viewed } from './viewed.ts';

/** Builds a look in a jail. Paths are local. */
export type BuildLook = (
  account: string,
  input: { pictures: readonly { finished: string; original?: string }[]; samples: readonly string[] },
) => Promise<{ look: BuiltLook | null; unfit: number[]; samples: Uint8Array[] }>;

interface PdfPictureOrder {
  inputPath: string;
  outputPath: string;
  password?: string;
  /** Longest side, pixels; null for the default of the picture */
  side: number | null;
}

/**
 * Renders previews of untrusted files in separate processes, each for one account, with limited CPU time and memory.
 * Paths are local.
 * @throws Failure with the code of the file's fault; NOT_FOUND for an image that the PDF does not have
 */
export interface PreviewEngine {
  /** Number of processes, each for one account at a time */
  children: number;
  /** Writes an image as WebP. @param side longest side, pixels; null for the image's own */
  image(account: string, input: { inputPath: string; outputPath: string; side: number | null }): Promise<void>;
  pdfImage(account: string, input: PdfPictureOrder & { number: number }): Promise<void>;
  /**
   * Renders one page of a PDF, numbered from 1, or the two sides of a split one, as WebP.
   * @param side longest side, pixels; null for 200 DPI
   */
  pdfPage(account: string, input: PdfPictureOrder & { page: number; otherPage?: number }): Promise<void>;
  /** @param input with `resultPath`, only pages with images that the result changed */
  listPdfPages(
    account: string,
    input: { inputPath: string; password?: string; resultPath?: string },
  ): Promise<PdfPageList>;
  /** @param input with `factsPath`, the kinds of the images are known */
  listPdfImages(
    account: string,
    input: { inputPath: string; password?: string; factsPath?: string },
  ): Promise<PdfImageList<ListedPdfImage>>;
  listEnhancedPdfImages(
    account: string,
    input: {
      inputPath: string;
      password?: string;
      resultPath: string;
    },
  ): Promise<PdfImageList<EnhancedPdfImage>>;
  /** Describes the effect of an enhancement on each image; without a result, the expected effect. */
  describePdfImages(
    account: string,
    input: {
      inputPath: string;
      password?: string;
      factsPath?: string;
      resultPath?: string;
      parameters: PdfParameters;
    },
  ): Promise<ReportedImageList>;
  buildLook: BuildLook;
  report(
    account: string,
    input: { content: ReportContent; pictures: readonly string[]; outputPath: string },
  ): Promise<void>;
  newPath(): Promise<string>;
}

export interface PreviewDeps {
  previewEngine: PreviewEngine;
  storage: Pick<ObjectStore, 'get' | 'head' | 'putFile' | 'delete' | 'withLocalFile'>;
  uploadPasswords: Pick<UploadPasswords, 'withPassword'>;
  /** Bounds the work of previews and estimates */
  engineWork: BoundedWork;
}

export interface ShownFile extends StoredObject {
  mimetype: string;
  /** Set for an original or a result itself: its bytes by the record */
  expected?: Viewed['expected'];
}

/** Media types that browsers can show without conversion. */
const SHOWN_BY_BROWSERS: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];

export type Previews = ReturnType<typeof createPreviews>;

/**
 * Previews of files. Each is rendered at the first request and stored next to its file, so that the deletion of the
 * file includes it.
 */
export function createPreviews({ previewEngine: engine, engineWork: work, storage, uploadPasswords }: PreviewDeps) {
  /** The stored object of a key, rendered if it does not exist. @param make writes it to a path */
  async function kept(
    viewed: Viewed,
    name: string,
    make: (outputPath: string) => Promise<void>,
  ): Promise<StoredObject> {
    const key = previewKey(viewed.accountId, viewed.uploadId, [viewed.name, name].filter(Boolean).join('/'));
    const there = await storage.head(key);
    if (there !== undefined) return there;
    return await work.share(key, viewed.accountId, async () => {
      const path = await engine.newPath();
      try {
        await make(path);
        const stored = await storage.putFile(key, path);
        // A concurrent deletion may have missed the new preview.
        if ((await storage.head(viewed.objectKey)) !== undefined) return stored;
        await storage.delete(key);
        throw new Failure('NOT_FOUND', { detail: 'The file has been deleted. Send it again.' });
      } finally {
        await rm(path, { force: true });
      }
    });
  }

  async function keptList<List>(viewed: Viewed, name: string, make: () => Promise<List>): Promise<List> {
    const { key } = await kept(viewed, name, async (path) => writeFile(path, JSON.stringify(await make())));
    return (await json(await storage.get(key))) as List;
  }

  const local = <T>({ objectKey, expected }: Viewed, use: (path: string) => Promise<T>): Promise<T> =>
    readIntact(() => storage.withLocalFile(objectKey, use, expected));
  /** Like `local`, with the password of an encrypted PDF. */
  const opened = <T>(
    viewed: Viewed,
    use: (input: { inputPath: string; password?: string }) => Promise<T>,
  ): Promise<T> =>
    local(viewed, (inputPath) =>
      uploadPasswords.withPassword(viewed.uploadId, (secret) => use({ inputPath, ...secret })),
    );
  async function withFacts<T>({ objectKey }: Viewed, use: (known: { factsPath?: string }) => Promise<T>): Promise<T> {
    const key = factsKey(objectKey);
    if ((await storage.head(key)) === undefined) return use({});
    return storage.withLocalFile(key, (factsPath) => use({ factsPath }));
  }
  const locals = <T>(
    [first, ...rest]: readonly ShownFile[],
    use: (paths: string[]) => Promise<T>,
    paths: string[] = [],
  ): Promise<T> =>
    first === undefined ? use(paths) : storage.withLocalFile(first.key, (path) => locals(rest, use, [...paths, path]));
  const named = (size: PreviewSize): string => (size === 'full' ? size : `w${size}`);
  const toSide = (size: PreviewSize): number | null => (size === 'full' ? null : size);

  const previews = {
    /** The preview of an image, or of a PDF's largest image on the first page with one. */
    async file(viewed: Viewed, size: PreviewSize): Promise<ShownFile> {
      if (mediaKind(viewed.mimetype) === 'pdf') {
        const { images } = await previews.pdfImages(viewed);
        return await previews.pdfImage(viewed, mostTelling(images).number, size);
      }
      if (size === 'full' && SHOWN_BY_BROWSERS.includes(viewed.mimetype)) {
        const object = await storage.head(viewed.objectKey);
        if (object === undefined)
          throw new Failure('NOT_FOUND', { detail: 'The file has been deleted. Send it again.' });
        const { objectKey: key, mimetype, expected } = viewed;
        return { key, ...expected, mimetype, expected };
      }
      const made = await kept(viewed, named(size), (outputPath) =>
        local(viewed, (inputPath) => engine.image(viewed.accountId, { inputPath, outputPath, side: toSide(size) })),
      );
      return { ...made, mimetype: 'image/webp' };
    },

    async pdfImage(viewed: Viewed, number: number, size: PreviewSize): Promise<ShownFile> {
      assertPdf(viewed);
      const made = await kept(viewed, `image-${number}-${named(size)}`, (outputPath) =>
        opened(viewed, (input) =>
          engine.pdfImage(viewed.accountId, { ...input, outputPath, number, side: toSide(size) }),
        ),
      );
      return { ...made, mimetype: 'image/webp' };
    },

    /** @param number of the page in the original */
    async pdfPage(viewed: Viewed, number: number, size: PreviewSize): Promise<ShownFile> {
      assertPdf(viewed);
      const [page, otherPage] = pagesOfResult(viewed.moved, number);
      if (page === undefined) {
        const detail = `The result lacks page ${number}, which the order drops. Open the page of the upload.`;
        throw new Failure('NOT_FOUND', { detail });
      }
      const shown = { page, ...(otherPage !== undefined && { otherPage }), side: toSide(size) };
      const made = await kept(viewed, `page-${number}-${named(size)}`, (outputPath) =>
        opened(viewed, (input) => engine.pdfPage(viewed.accountId, { ...input, outputPath, ...shown })),
      );
      return { ...made, mimetype: 'image/webp' };
    },

    pdfPages(viewed: Viewed): Promise<PdfPageList> {
      assertPdf(viewed);
      return keptList(viewed, 'pages', () => opened(viewed, (input) => engine.listPdfPages(viewed.accountId, input)));
    },

    enhancedPdfPages(original: Viewed, result: Viewed): Promise<PdfPageList> {
      assertPdf(original);
      return keptList(result, 'enhanced-pages', () =>
        local(result, (resultPath) =>
          opened(original, (input) => engine.listPdfPages(original.accountId, { ...input, resultPath })),
        ),
      );
    },

    pdfImages(viewed: Viewed): Promise<PdfImageList<ListedPdfImage>> {
      assertPdf(viewed);
      return keptList(viewed, 'known-images', () =>
        withFacts(viewed, (known) =>
          opened(viewed, (input) => engine.listPdfImages(viewed.accountId, { ...input, ...known })),
        ),
      );
    },

    enhancedPdfImages(original: Viewed, result: Viewed): Promise<PdfImageList<EnhancedPdfImage>> {
      assertPdf(original);
      return keptList(result, 'enhanced-images', () =>
        local(result, (resultPath) =>
          opened(original, (input) => engine.listEnhancedPdfImages(original.accountId, { ...input, resultPath })),
        ),
      );
    },

    /**
     * The effect of an enhancement on the images of a PDF; without a result, the expected effect of these parameters.
     */
    describePdfImages(original: Viewed, result: Viewed | null, parameters: PdfParameters): Promise<ReportedImageList> {
      return keptList(result ?? original, 'image-outcomes', () =>
        withFacts(original, (known) =>
          opened(original, (input) => {
            const described = { ...input, ...known, parameters };
            return result === null
              ? engine.describePdfImages(original.accountId, described)
              : local(result, (resultPath) =>
                  engine.describePdfImages(original.accountId, { ...described, resultPath }),
                );
          }),
        ),
      );
    },

    /** A report with stored pictures. @param digest of the whole content */
    async report(
      viewed: Viewed,
      digest: string,
      content: ReportContent,
      pictures: readonly ShownFile[],
    ): Promise<ShownFile> {
      const made = await kept(viewed, `report-${digest}`, (outputPath) =>
        locals(pictures, (paths) => engine.report(viewed.accountId, { content, pictures: paths, outputPath })),
      );
      return { ...made, mimetype: 'application/pdf' };
    },
  };
  return previews;
}

/**
 * The largest image on the first page with one. @param images in page order @throws Failure NOT_FOUND without images
 */
function mostTelling(images: readonly PdfImage[]): PdfImage {
  const ofFirstPage = images.filter(({ page }) => page === images[0]!.page);
  const [largest] = ofFirstPage.toSorted((a, b) => b.width * b.height - a.width * a.height);
  if (largest === undefined) throw new Failure('NOT_FOUND', { detail: 'The PDF has no image that can be shown.' });
  return largest;
}

function assertPdf({ mimetype }: Viewed): void {
  if (mediaKind(mimetype) !== 'pdf') throw new Failure('NOT_FOUND', { detail: 'The file is not a PDF.' });
}
