import type { CallOptions, Transport } from './transport.ts';
import type { FinishedPicture, Look, LookTrial } from './types.ts';

/** The looks of the account: tone and colour from finished pictures. All methods throw BurnishError, or the reason of an aborted signal. */
export class Looks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Builds a look as the latest version of its name. Equal values make no version.
   * @param look 16 to 48 pictures: ids of uploads or enhancements
   */
  build(name: string, look: { pictures: readonly FinishedPicture[] }, call?: CallOptions): Promise<Look> {
    return this.#transport.json('PUT', toPath(name), { ...call, json: look });
  }

  /** Builds a look without saving it. @param look samples are up to five ids of uploads, which the answer shows with the look */
  try(
    look: { pictures: readonly FinishedPicture[]; samples?: readonly string[] },
    call?: CallOptions,
  ): Promise<LookTrial> {
    return this.#transport.json('POST', '/v1/look-trials', { ...call, json: look });
  }

  /** @param name `warm` for the latest version, `warm@3` for version 3 */
  get(name: string, call?: CallOptions): Promise<Look> {
    return this.#transport.json('GET', toPath(name), call);
  }

  /** At most 20 by name, each in its latest version. */
  async list(call?: CallOptions): Promise<Look[]> {
    return (await this.#transport.json<{ items: Look[] }>('GET', '/v1/looks', call)).items;
  }

  /** Deletes all versions. */
  async delete(name: string, call?: CallOptions): Promise<void> {
    await this.#transport.send('DELETE', toPath(name), call);
  }
}

const toPath = (name: string): string => `/v1/looks/${encodeURIComponent(name)}`;
