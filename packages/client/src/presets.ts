import type { CallOptions, Transport } from './transport.ts';
import type { EnhancementParameters, Preset } from './types.ts';

/** The presets of the account: saved parameters that orders name. All methods throw BurnishError, or the reason of an aborted signal. */
export class Presets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Saves parameters as the latest version. Equal parameters make no version. */
  save(name: string, preset: { enhancements: [EnhancementParameters] }, call?: CallOptions): Promise<Preset> {
    return this.#transport.json('PUT', toPath(name), { ...call, json: preset });
  }

  /** @param name `web` for the latest version, `web@3` for version 3 */
  get(name: string, call?: CallOptions): Promise<Preset> {
    return this.#transport.json('GET', toPath(name), call);
  }

  /** At most 100 by name, each in its latest version. */
  async list(call?: CallOptions): Promise<Preset[]> {
    return (await this.#transport.json<{ items: Preset[] }>('GET', '/v1/presets', call)).items;
  }

  /** Deletes all versions. */
  async delete(name: string, call?: CallOptions): Promise<void> {
    await this.#transport.send('DELETE', toPath(name), call);
  }
}

const toPath = (name: string): string => `/v1/presets/${encodeURIComponent(name)}`;
