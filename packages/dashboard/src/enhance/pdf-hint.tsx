import type { Upload } from '../api/types.ts';
import { formatBytes } from '../ui/format.ts';
import type { PdfPrice } from './pdf-price.ts';

/** The free images of a PDF, and the probable size of its result, before the order. */
export function PdfHint({ upload, price: { minFilesize, maxFilesize } }: { upload: Upload; price: PdfPrice }) {
  return (
    <p class="hint">
      An image that needs no change costs nothing.
      {typeof minFilesize === 'number' &&
        typeof maxFilesize === 'number' &&
        upload.filesize !== null &&
        ` The result will probably have ${formatBytes(minFilesize)} to ${formatBytes(maxFilesize)}; the original has ${formatBytes(upload.filesize)}.`}
    </p>
  );
}
