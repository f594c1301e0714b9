import type { HostedDeps } from '../activities/hosted/deps.ts';
import type { Provider } from '../activities/provider/local.ts';
import type { HostedConfig } from './config-hosted.ts';
import { detectMediaType } from '@burnish/engine/host';
import { createCircuit } from '../hosted/circuit.ts';
import { createCall } from '../hosted/client.ts';
import { createHostedApi } from '../hosted/service.ts';
import type { Services } from './services.ts';

/** The process's client for the hosted service, with one circuit breaker and one SSRF-safe connection. */
export function hostedDeps(
  { url, apiKey, parallel }: HostedConfig,
  services: Pick<Services, 'store' | 'stores' | 'hostedFetch'>,
  inspector: Pick<Provider, 'inspect'>,
  log: HostedDeps['log'],
): HostedDeps {
  const circuit = createCircuit({
    onChange: (state) =>
      log.warn(
        { state },
        state === 'open' ? 'the hosted service does not respond' : 'the hosted service is available again',
      ),
  });
  const { hostedFetch, store, stores } = services;
  const call = createCall({ baseUrl: url, apiKey, send: hostedFetch.exchange, circuit });
  return {
    ...stores,
    store,
    safeFetch: hostedFetch,
    hostedApi: createHostedApi(call),
    detect: detectMediaType,
    inspector,
    parallel,
    log,
  };
}
