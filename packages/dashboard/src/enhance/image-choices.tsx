import { useState } from 'preact/hooks';
import {
  kindInWords,
  MAX_IMAGE_CHOICES,
  type ImageChoices,
  type ListedPdfImage,
  type PdfParameters,
} from '@burnish/contract';
import { useListing } from '../api/use-listing.ts';
import { Picture } from '../compare/picture.tsx';
import { NotLoaded } from '../ui/loaded.tsx';
import { Trouble } from '../ui/notice.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { Toggle } from './toggle.tsx';

interface Choices {
  uploadId: string;
  parameters: Pick<PdfParameters, 'colorKinds' | 'images' | 'mode'>;
  onChange: (images: ImageChoices | undefined) => void;
}

/** The images of a PDF whose kind is known, each with a switch for its tone and colour. */
export function ImageChoicesDetails(choices: Choices) {
  // The list is requested when a person opens it, since few orders need it.
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more-settings" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{choices.parameters.mode === 'DOCUMENT' ? 'Single pages' : 'Colours of single images'}</summary>
      {isOpen && <ImageSwitches {...choices} />}
    </details>
  );
}

function ImageSwitches({ uploadId, parameters, onChange }: Choices) {
  const list = useListing<ListedPdfImage>(`/v1/uploads/${uploadId}/pdf-images?limit=24`);
  const { images = {}, colorKinds, mode } = parameters;
  const cleans = mode === 'DOCUMENT';
  if (list.items === undefined) return <NotLoaded resource={list} label="Finding the images …" />;
  const known = list.items.flatMap(({ kind, kindReason, ...image }) =>
    kind === null || kindReason === null ? [] : [{ ...image, kind, reason: kindReason }],
  );
  const isFull = Object.keys(images).length >= MAX_IMAGE_CHOICES;

  function choose(number: number, color: boolean, isUsual: boolean): void {
    const others = Object.fromEntries(Object.entries(images).filter(([other]) => other !== String(number)));
    const chosen = isUsual ? others : { ...others, [number]: { color } };
    onChange(Object.keys(chosen).length === 0 ? undefined : chosen);
  }

  return (
    <>
      <p class="hint">
        {known.length === 0
          ? 'This PDF has no image with colours to change.'
          : `${cleans ? 'These pages can stay as they are.' : 'A choice here overrides the choice by kind.'} Strips of one picture change together.`}
      </p>
      <ul class="image-choices" aria-label={cleans ? 'Single pages' : 'Colours of single images'}>
        {known.map(({ number, page, width, height, kind, reason }) => {
          // The list does not say which images fill a page, so the switch keeps one instead of cleaning it.
          const [usual, chosen] = [cleans || colorKinds.includes(kind), images[number]?.color];
          const label = cleans
            ? `Keep image ${number} on page ${page} as it is`
            : `Balance image ${number} on page ${page}`;
          return (
            <li key={number}>
              <Picture src={`/v1/uploads/${uploadId}/pdf-images/${number}/preview`} alt="" lazy />
              <Toggle
                label={label}
                checked={(chosen ?? usual) !== cleans}
                disabled={isFull && chosen === undefined}
                onChange={(checked) => choose(number, checked !== cleans, (checked !== cleans) === usual)}
              >
                {width} × {height} pixels: {kindInWords({ kind, reason })}
              </Toggle>
            </li>
          );
        })}
      </ul>
      <Trouble error={list.error} retry={list.more} />
      <ShowMore list={list} words="More images" />
    </>
  );
}
