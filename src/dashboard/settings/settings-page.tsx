import { formatNumber } from '../../domain/counted.ts';
import { workflowsUrl } from '../../domain/temporal/web-ui.ts';
import { session } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Retention } from './retention.tsx';
import './settings.css';

export function SettingsPage() {
  const current = session.value;
  if (!current) return null;
  const { account, plan, version, engineVersion, sandbox, temporalUi } = current;
  return (
    <>
      <PageHeader title="Settings" />
      <Retention />
      <section class="card" aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        <dl class="facts">
          <div>
            <dt>Plan</dt>
            <dd>{plan.name}</dd>
          </div>
          <div>
            <dt>Highest resolution of PDF images</dt>
            <dd>{formatNumber(plan.maxResolution)} DPI</dd>
          </div>
          <div>
            <dt>Account</dt>
            <dd>{account.name}</dd>
          </div>
        </dl>
        <p class="hint">The operator of this instance sets plan and monthly credits.</p>
      </section>
      <section class="card" aria-labelledby="instance">
        <h2 id="instance">This instance</h2>
        <dl class="facts">
          <div>
            <dt>Burnish</dt>
            <dd>{version}</dd>
          </div>
          <div>
            <dt>Engine</dt>
            <dd>{engineVersion}</dd>
          </div>
          <div>
            <dt>Decoder sandbox</dt>
            <dd>{sandbox}</dd>
          </div>
        </dl>
        <ul class="links">
          <Elsewhere href="/docs">API documentation</Elsewhere>
          <Elsewhere href="/graphiql">GraphiQL</Elsewhere>
          {temporalUi !== null && (
            <Elsewhere href={workflowsUrl(temporalUi)}>Workflows in the Temporal Web UI</Elsewhere>
          )}
        </ul>
      </section>
    </>
  );
}

function Elsewhere({ href, children }: { href: string; children: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noopener">
        {children} <Icon name="external" size={16} />
      </a>
    </li>
  );
}
