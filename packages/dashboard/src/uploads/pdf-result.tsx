import { useEffect, useState } from 'preact/hooks';
import { pageInPixels, pagesOfResult, type EnhancedPdfImage, type MovedPages, type PdfPage } from '@burnish/contract';
import type { Enhancement, Upload } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Compare } from '../compare/compare.tsx';
import { Picture } from '../compare/picture.tsx';
import { Toggle } from '../enhance/toggle.tsx';
import { NotLoaded } from '../ui/loaded.tsx';
import { Trouble } from '../ui/notice.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { KeptPages } from './kept-pages.tsx';
import { pictures } from './pictures.ts';

interface Shown {
  upload: Upload;
  enhancement: Enhancement;
}

/** Returns the number of a page in the result, as words after that in the original; none where it stays. */
function newNumber(moved: MovedPages, page: number): string {
  const pages = pagesOfResult(moved, page);
  return pages.length === 1 && pages[0] === page ? '' : `, now ${pages.join(' and ')}`;
}

/**
 * The pages of a PDF whose images were enhanced, and each of these images: before and after.
 * @param onOrdered called after the order of a version with other original pages; absent where none is offered
 */
export function PdfResult({ upload, enhancement, onOrdered }: Shown & { onOrdered?: (() => void) | undefined }) {
  const path = `/v1/enhancements/${enhancement.id}`;
  const images = useListing<EnhancedPdfImage>(`${path}/pdf-images?limit=24`);
  const pages = useListing<PdfPage>(`${path}/pdf-pages?limit=100`);
  const [chosen, setChosen] = useState<number>();
  const [chosenPage, setChosenPage] = useState<number>();
  const [uncertainFirst, setUncertainFirst] = useState(false);
  const uncertain = new Set(enhancement.engine?.uncertainPages);
  const { splitPages: split = [], droppedPages: dropped = [] } = enhancement.engine ?? {};
  const shownPages = new Set(images.items?.map((each) => each.page));
  const lacks = uncertainFirst && [...uncertain].some((each) => !shownPages.has(each));
  useEffect(() => {
    if (lacks && images.hasMore && !images.isLoading && images.error === undefined) images.more();
  }, [lacks, images]);
  const error = images.error ?? pages.error;
  if (images.items === undefined || pages.items === undefined) {
    const reload = (): void => (images.reload(), pages.reload());
    return <NotLoaded resource={{ error, reload }} label="Finding the pages …" />;
  }
  const choices = onOrdered !== undefined && enhancement.parameters.mode === 'DOCUMENT' && (
    <KeptPages upload={upload} enhancement={enhancement} pages={pages} onOrdered={onOrdered} />
  );
  if (images.items.length === 0) {
    const isSame = enhancement.engine?.unchanged;
    return (
      <>
        <p class="soft">
          No image of this PDF needed a change. {isSame ? 'The file is unchanged.' : 'See the other changes below.'}
        </p>
        {choices}
      </>
    );
  }
  const image = images.items.find(({ number }) => number === chosen);
  const groups = byPage(images.items);
  const listed = uncertainFirst ? inOrder(groups, uncertain) : groups;
  const page =
    pages.items.find((each) => each.page === (chosenPage ?? (uncertainFirst ? listed[0]?.[0] : undefined))) ??
    pages.items[0];

  return (
    <div class="pdf-result">
      {image !== undefined || page === undefined ? (
        <ComparedImage upload={upload} enhancement={enhancement} image={image ?? images.items[0]!} />
      ) : (
        <ComparedPage upload={upload} enhancement={enhancement} page={page} />
      )}
      {uncertain.size > 0 && (
        <Toggle label="Uncertain pages first" checked={uncertainFirst} onChange={setUncertainFirst} />
      )}
      <ol class="pdf-pages" aria-label="Enhanced pages and images">
        {listed.map(([number, ofPage]) => (
          <li key={number}>
            <h4>
              Page {number}
              {newNumber({ split, dropped }, number)}
              {uncertain.has(number) && ', uncertain'}
            </h4>
            <div class="pdf-images">
              {pages.items!.some((each) => each.page === number) && (
                <button
                  type="button"
                  aria-pressed={image === undefined && page?.page === number}
                  onClick={() => (setChosen(undefined), setChosenPage(number))}
                >
                  <Picture src={`${path}/pdf-pages/${number}/preview`} alt="" lazy />
                  <span class="small">Whole page</span>
                  <span class="sr-only">, page {number}: compare</span>
                </button>
              )}
              {ofPage.map((each) => (
                <button
                  key={each.number}
                  type="button"
                  aria-pressed={each === image}
                  onClick={() => setChosen(each.number)}
                >
                  <Picture src={`${path}/pdf-images/${each.number}/preview`} alt="" lazy />
                  <span class="small">{change(each)}</span>
                  <span class="sr-only">, page {number}: compare</span>
                </button>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <Trouble error={error} retry={images.more} />
      <ShowMore list={images} words="More images" />
      {choices}
    </div>
  );
}

function ComparedPage({ upload, enhancement, page }: Shown & { page: PdfPage }) {
  return (
    <Compare
      key={`page ${page.page}`}
      before={pictures(`/v1/uploads/${upload.id}/pdf-pages/${page.page}/preview`)}
      after={pictures(`/v1/enhancements/${enhancement.id}/pdf-pages/${page.page}/preview`)}
      {...pageInPixels(page, null)}
      name={`Page ${page.page}`}
      outlined={page.images}
    />
  );
}

function ComparedImage({ upload, enhancement, image }: Shown & { image: EnhancedPdfImage }) {
  return (
    <Compare
      key={image.number}
      before={pictures(`/v1/uploads/${upload.id}/pdf-images/${image.number}/preview`)}
      after={pictures(`/v1/enhancements/${enhancement.id}/pdf-images/${image.number}/preview`)}
      width={image.enhanced.width}
      height={image.enhanced.height}
      name={`Image on page ${image.page}`}
    />
  );
}

/** In the order of the pages. */
function byPage(images: readonly EnhancedPdfImage[]): [page: number, images: EnhancedPdfImage[]][] {
  const pages = new Map<number, EnhancedPdfImage[]>();
  for (const image of images) pages.set(image.page, [...(pages.get(image.page) ?? []), image]);
  return [...pages];
}

/** The uncertain pages before the others. */
function inOrder(
  groups: readonly [page: number, images: EnhancedPdfImage[]][],
  uncertain: ReadonlySet<number>,
): [page: number, images: EnhancedPdfImage[]][] {
  const isUncertain = ([page]: readonly [number, unknown]): boolean => uncertain.has(page);
  return [...groups.filter(isUncertain), ...groups.filter((group) => !isUncertain(group))];
}

function change({ width, height, enhanced }: EnhancedPdfImage): string {
  if (width === enhanced.width && height === enhanced.height) return `${width} × ${height}, colour`;
  return `${width} × ${height} → ${enhanced.width} × ${enhanced.height}`;
}
