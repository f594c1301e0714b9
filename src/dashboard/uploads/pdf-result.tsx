import { useState } from 'preact/hooks';
import type { EnhancedPdfImage } from '../../domain/upload/preview.ts';
import type { Enhancement, Upload } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Compare } from '../compare/compare.tsx';
import { Picture } from '../compare/picture.tsx';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { pictures } from './pictures.ts';

/** The pages of a PDF whose images were enhanced; each image before and after. */
export function PdfResult({ upload, enhancement }: { upload: Upload; enhancement: Enhancement }) {
  const { items, hasMore, more, isLoading, error, reload } = useListing<EnhancedPdfImage>(
    `/v1/enhancements/${enhancement.id}/pdf-images?limit=24`,
  );
  const [chosen, setChosen] = useState<number>();
  if (items === undefined)
    return error === undefined ? <Loading label="Finding the images …" /> : <Trouble error={error} retry={reload} />;
  const image = items.find(({ number }) => number === chosen) ?? items[0];
  if (image === undefined) return <p class="soft">No image of this PDF needed a change, so it is as it was.</p>;

  return (
    <div class="pdf-result">
      <Compare
        key={image.number}
        before={pictures(`/v1/uploads/${upload.id}/pdf-images/${image.number}/preview`)}
        after={pictures(`/v1/enhancements/${enhancement.id}/pdf-images/${image.number}/preview`)}
        width={image.enhanced.width}
        height={image.enhanced.height}
        name={`Image on page ${image.page}`}
      />
      <ol class="pdf-pages" aria-label="Enhanced images by page">
        {byPage(items).map(([page, images]) => (
          <li key={page}>
            <h4>Page {page}</h4>
            <div class="pdf-images">
              {images.map((each) => (
                <button
                  key={each.number}
                  type="button"
                  aria-pressed={each === image}
                  onClick={() => setChosen(each.number)}
                >
                  <Picture src={`/v1/enhancements/${enhancement.id}/pdf-images/${each.number}/preview`} alt="" lazy />
                  <span class="small">{change(each)}</span>
                  <span class="sr-only">, page {page}: compare</span>
                </button>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <Trouble error={error} retry={more} />
      {hasMore && (
        <Button busy={isLoading} onClick={more}>
          More images
        </Button>
      )}
    </div>
  );
}

/** In the order of the pages, as they come. */
function byPage(images: readonly EnhancedPdfImage[]): [page: number, images: EnhancedPdfImage[]][] {
  const pages = new Map<number, EnhancedPdfImage[]>();
  for (const image of images) pages.set(image.page, [...(pages.get(image.page) ?? []), image]);
  return [...pages];
}

function change({ width, height, enhanced }: EnhancedPdfImage): string {
  if (width === enhanced.width && height === enhanced.height) return `${width} × ${height}, colour`;
  return `${width} × ${height} → ${enhanced.width} × ${enhanced.height}`;
}
