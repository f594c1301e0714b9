import type { BatchItem, UploadWithEnhancements } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { NotLoaded } from '../ui/loaded.tsx';
import { Result } from '../uploads/result.tsx';

export type FinishedSample = BatchItem & { uploadId: string; enhancementId: string };

/** One sample with the divider between before and after, and the way to the other samples. */
export function SampleComparison({
  sample,
  name,
  onStep,
  onClose,
}: {
  sample: FinishedSample;
  name: string;
  /** Shows the next sample or the previous one; undefined for the only sample */
  onStep: ((by: 1 | -1) => void) | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog title={name} isWide onClose={onClose}>
      <Comparison key={sample.enhancementId} uploadId={sample.uploadId} enhancementId={sample.enhancementId} />
      <div class="dialog-actions">
        {onStep !== undefined && (
          <>
            <Button onClick={() => onStep(-1)}>Previous</Button>
            <Button onClick={() => onStep(1)}>Next</Button>
          </>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function Comparison({ uploadId, enhancementId }: Pick<FinishedSample, 'uploadId' | 'enhancementId'>) {
  const resource = useResource<UploadWithEnhancements>(`/v1/uploads/${uploadId}`);
  const { data: upload } = resource;
  const enhancement = upload?.enhancements.find(({ id }) => id === enhancementId);
  if (upload === undefined) return <NotLoaded resource={resource} />;
  return enhancement === undefined ? (
    <p class="soft">The result has been deleted.</p>
  ) : (
    <Result upload={upload} enhancement={enhancement} />
  );
}
