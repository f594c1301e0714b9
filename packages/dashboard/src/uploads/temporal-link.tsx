import { uploadWorkflowUrl } from '../../../../src/domain/temporal/web-ui.ts';
import { session } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';

export function TemporalLink({ uploadId }: { uploadId: string }) {
  const temporal = session.value?.temporalUi;
  if (!temporal) return null;
  return (
    <a class="temporal-link small" href={uploadWorkflowUrl(temporal, uploadId)} target="_blank" rel="noopener">
      Workflow <Icon name="external" size={14} />
      <span class="sr-only">in the Temporal Web UI, in a new tab</span>
    </a>
  );
}
