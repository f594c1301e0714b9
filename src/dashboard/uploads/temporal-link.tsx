import { session } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';

/** The link to the workflow of an upload in the Temporal Web UI, if the instance has its address. */
export function TemporalLink({ uploadId }: { uploadId: string }) {
  const temporal = session.value?.temporalUi;
  if (!temporal) return null;
  const { url, namespace } = temporal;
  return (
    <a
      class="temporal-link small"
      href={`${url}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(`upload/${uploadId}`)}`}
      target="_blank"
      rel="noopener"
    >
      Workflow <Icon name="external" size={14} />
      <span class="sr-only">in the Temporal Web UI, in a new tab</span>
    </a>
  );
}
