import { SEARCH_ATTRIBUTE_NAMES } from '../../src/domain/temporal/search-attributes.ts';
import {
  type EmbeddedTemporal,
  type EmbeddedTemporalOptions,
  startEmbeddedTemporal,
} from '../../src/temporal/embedded-server.ts';
import { describeSearchAttribute } from '../../src/temporal/search-attributes.ts';
import { temporalBinary } from './temporal-binary.ts';

/** Starts the server that Burnish embeds, on a free port, without a Web UI and with Burnish's search attributes. */
export async function startTestTemporal(
  dataDir: string,
  others: Partial<EmbeddedTemporalOptions> = {},
): Promise<EmbeddedTemporal> {
  return startEmbeddedTemporal({
    binary: await temporalBinary(),
    dataDir,
    host: '127.0.0.1',
    port: 0,
    uiPort: undefined,
    namespace: 'default',
    searchAttributes: SEARCH_ATTRIBUTE_NAMES.map(describeSearchAttribute),
    ...others,
  });
}
