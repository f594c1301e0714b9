import { type NetworkTrouble, startNetworkProxy } from '../support/network-proxy.ts';

export interface ClusterNetwork {
  /** Settings that connect every process through the proxies */
  env: NodeJS.ProcessEnv;
  /** Starts a fault at all proxies at once; undefined ends the fault */
  trouble(kind: NetworkTrouble | undefined): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface NetworkOptions {
  postgresUrl: string;
  s3Endpoint: string;
  temporalAddress: string;
}

/** Starts proxies between the processes of Burnish and PostgreSQL, storage and Temporal. They can inject network faults. */
export async function startNetwork({
  postgresUrl,
  s3Endpoint,
  temporalAddress,
}: NetworkOptions): Promise<ClusterNetwork> {
  const to = (url: URL) => startNetworkProxy({ host: url.hostname, port: Number(url.port) });
  const [database, storage] = [new URL(postgresUrl), new URL(s3Endpoint)];
  const proxies = await Promise.all([to(database), to(storage), to(new URL(`tcp://${temporalAddress}`))]);
  const [databaseProxy, storageProxy, temporalProxy] = proxies;
  database.port = String(databaseProxy.port);
  storage.port = String(storageProxy.port);
  return {
    env: {
      DATABASE_URL: database.href,
      AWS_ENDPOINT_URL_S3: storage.href.replace(/\/$/, ''),
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalProxy.port}`,
    },
    async trouble(kind) {
      await Promise.all(proxies.map((proxy) => proxy.trouble(kind)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
