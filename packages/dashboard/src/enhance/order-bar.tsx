import type { ComponentChildren } from 'preact';
import { counted, creditRange, formatNumber, formatWithoutAlpha } from '@burnish/contract';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { creditsLeft } from '../uploads/credits-left.ts';
import { capital, credits, summarizeParameters } from '../uploads/words.ts';
import { IMAGE_SETTINGS } from './image-settings.tsx';
import { findUpload, undecidedImages } from './jobs.ts';
import { draftedPdfs, imageSettings, order, orderAll } from './order.ts';
import { changesNothing } from './price.ts';
import '../ui/bottom-bar.css';
import './order-bar.css';

/** The id of the bar, for a link past the files */
export const ORDER_BAR = 'order';

/** The price of all files of the page and the one button that orders them, in one line that stays in view. */
export function OrderBar() {
  const { images, pdfs, min, max } = order.value;
  const open = { images: undecidedImages.value.length, pdfs: draftedPdfs.value.length };
  const isNothing = images.length + pdfs.length === 0;
  const counts = isNothing ? open : { images: images.length, pdfs: pdfs.length };
  return (
    <section id={ORDER_BAR} tabIndex={-1} class="bottom-bar order-bar" aria-label="Order">
      <p class="order-price" role="status">
        <strong>{capital(creditRange(min, max))}</strong>
        <span class="order-words small">{words()}</span>
      </p>
      <div class="actions">
        {open.images > 0 && (
          <a class="to-settings" href={`#${IMAGE_SETTINGS}`} aria-label="Settings" title="Settings">
            <Icon name="sliders" />
          </a>
        )}
        <Button
          kind="primary"
          icon="sparkle"
          disabled={isNothing}
          // The form of the images checks its fields first, and then orders.
          {...(images.length > 0 ? { type: 'submit', form: IMAGE_SETTINGS } : { onClick: orderAll })}
        >
          <span>
            Enhance {formatNumber(counts.images + counts.pdfs)}
            <span class="order-noun"> {noun(counts.images, counts.pdfs)}</span>
          </span>
        </Button>
      </div>
    </section>
  );
}

/** The word for what an order counts: images, PDFs, or files if there are both. */
const noun = (images: number, pdfs: number): string =>
  (images > 0 && pdfs > 0 ? 'file' : pdfs > 0 ? 'PDF' : 'image') + (images + pdfs === 1 ? '' : 's');

/** The one thing that a person should know about this order: what hinders or changes it, else what it is. */
function words(): ComponentChildren {
  const { images, pdfs, max } = order.value;
  const { parameters } = imageSettings.value;
  const left = creditsLeft.value;
  const idle = changesNothing(parameters) ? undecidedImages.value.length : 0;
  const unpriced = draftedPdfs.value.length - pdfs.length;
  const white = images
    .flatMap((job) => findUpload(job) ?? [])
    .filter((image) => formatWithoutAlpha(image, parameters.outputFormat) !== undefined).length;
  if (idle > 0) {
    const of = draftedPdfs.value.length > 0 ? ` of ${counted(idle, 'image')}` : '';
    return <Warning>Choose the settings{of} first.</Warning>;
  }
  if (left !== undefined && left < max) {
    return (
      <Warning>
        You have {credits(left)} left. <a href="/credits">See credits</a>
      </Warning>
    );
  }
  if (white > 0) return <Warning>The transparency of {counted(white, 'image')} will be replaced by white.</Warning>;
  if (unpriced > 0) return `${counted(unpriced, 'PDF')} without a price yet`;
  const files = [
    ...(images.length > 0 ? [counted(images.length, 'image')] : []),
    ...(pdfs.length > 0 ? [counted(pdfs.length, 'PDF')] : []),
  ].join(' and ');
  return (
    <span class="soft">
      {files}
      {images.length > 0 && ` · ${summarizeParameters(parameters, 'image')}`}
      {left !== undefined && ` · ${credits(left)} left`}
    </span>
  );
}

function Warning({ children }: { children: ComponentChildren }) {
  return (
    <span class="order-warning">
      <Icon name="alert" size={16} /> <span>{children}</span>
    </span>
  );
}
