import { execFile } from 'node:child_process';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createTemporalNode } from './temporal-node.ts';
import { nodeConfig, nodePorts, sqliteStore } from './temporal-node-config.ts';
import { temporalPrograms } from './temporal-programs.ts';

const execute = promisify(execFile);
const SERVER_NAME = 'temporal.test';
const CLI_WITHIN_MS = 30_000;

/** A Temporal server with TLS on one node. */
export interface SecuredTemporal {
  address: string;
  /** Paths of PEM files; the server requires a client certificate of its authority if it checks no keys */
  ca: string;
  certificate: string;
  certificateKey: string;
  /** An API key with roles such as `shop:write` @param seconds of validity; negative: it has expired */
  key(roles: readonly string[], seconds?: number): string;
  /** Makes all earlier API keys invalid, with a restart of the server */
  revokeKeys(): Promise<void>;
  /** Runs `temporal` with the rights of an administrator, and returns its output */
  administer(words: readonly string[]): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a real server with TLS in the frontend.
 * @param proof what callers prove their rights with: a client certificate (mTLS), or a JSON Web Token as the API key
 */
export async function startSecuredTemporal(proof: 'certificate' | 'key'): Promise<SecuredTemporal> {
  const { server: program } = await temporalPrograms();
  const folder = await temporaryFolder();
  const certificates = await createCertificates(folder.path);
  const issuer = await startIssuer();
  const ports = await nodePorts();
  const { ca, server } = certificates;
  const client = { serverName: SERVER_NAME, rootCaFiles: [ca] };
  const withCertificate = { ...server, clientCaFiles: [ca], requireClientAuth: true };
  const security =
    proof === 'certificate'
      ? { tls: { frontend: { server: withCertificate, client }, internode: { server: withCertificate, client } } }
      : { tls: { frontend: { server, client } }, authorization: issuer.authorization };
  const config = join(folder.path, 'node.yaml');
  const dynamicConfig = join(repositoryRoot, 'deploy', 'temporal', 'dynamic-config.yaml');
  const store = sqliteStore(folder.path);
  await writeFile(config, nodeConfig({ ports, store, shards: 1, dynamicConfig, security }));
  const address = `127.0.0.1:${ports.grpc.frontend}`;
  const [certificate, certificateKey] = [certificates.client.certFile, certificates.client.keyFile];
  const [serverRootCACertificate, crt, key] = await Promise.all(
    [ca, certificate, certificateKey].map((path) => readFile(path)),
  );
  const tls = {
    serverNameOverride: SERVER_NAME,
    serverRootCACertificate: serverRootCACertificate!,
    clientCertPair: { crt: crt!, key: key! },
  };
  const services = ['frontend', 'internal-frontend', 'history', 'matching', 'worker'];
  const args = services.flatMap((service) => ['--service', service]);
  const node = createTemporalNode({ name: 'secured node', program, config, server: { address, tls }, args });
  const dispose = async (): Promise<void> => {
    await node.kill();
    await issuer[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  const rights = (): string[] =>
    proof === 'key'
      ? ['--api-key', issuer.key(['temporal-system:admin'], 3600)]
      : ['--tls-cert-path', certificate, '--tls-key-path', certificateKey];
  try {
    await node.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    address,
    ca,
    certificate,
    certificateKey,
    key: (roles, seconds = 3600) => issuer.key(roles, seconds),
    async revokeKeys() {
      await node.stop();
      issuer.replace();
      await node.start();
    },
    async administer(words) {
      const server = ['--address', address, '--tls-ca-path', ca];
      const { stdout } = await execute(await temporalBinary(), [...words, ...server, ...rights()], {
        env: { HOME: folder.path },
        timeout: CLI_WITHIN_MS,
      });
      return stdout;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

interface Certificates {
  ca: string;
  server: Record<'certFile' | 'keyFile', string>;
  client: Record<'certFile' | 'keyFile', string>;
}

/** An authority, and certificates of a server and a client from it, valid for two days. */
async function createCertificates(folder: string): Promise<Certificates> {
  const path = (name: string): string => join(folder, `${name}.pem`);
  const openssl = (...words: string[]): Promise<unknown> => execute('openssl', words);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-keyout', path('ca-key'), '-out', path('ca'), '-days', '2', '-subj', '/CN=authority'];
  await openssl('req', '-x509', ...newKey, ...authority);
  const extensions = path('extensions');
  await writeFile(extensions, `subjectAltName=DNS:${SERVER_NAME},IP:127.0.0.1\n`);
  const pair = async (name: string): Promise<Certificates['server']> => {
    const [certFile, keyFile, request] = [path(name), path(`${name}-key`), path(`${name}-request`)];
    await openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/CN=${name}`);
    const signer = [
      '-CA',
      path('ca'),
      '-CAkey',
      path('ca-key'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      extensions,
    ];
    await openssl('x509', '-req', '-in', request, ...signer, '-out', certFile);
    return { certFile, keyFile };
  };
  return { ca: path('ca'), server: await pair('server'), client: await pair('client') };
}

/** Issues JSON Web Tokens, and publishes the key that verifies them. The server reads roles from their claim `permissions`. */
async function startIssuer() {
  const kid = 'test';
  const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
  let pair = newPair();
  const publisher = createServer((_, response) => {
    const key = { ...pair.publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
    response.end(JSON.stringify({ keys: [key] }));
  }).listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  const { port } = publisher.address() as AddressInfo;
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  return {
    authorization: {
      jwtKeyProvider: { keySourceURIs: [`http://127.0.0.1:${port}/jwks.json`], refreshInterval: '1m' },
      permissionsClaimName: 'permissions',
      authorizer: 'default',
      claimMapper: 'default',
    },
    key(permissions: readonly string[], seconds: number): string {
      const exp = Math.floor(Date.now() / 1_000) + seconds;
      const signed = `${part({ alg: 'RS256', kid, typ: 'JWT' })}.${part({ sub: 'burnish', permissions, exp })}`;
      return `${signed}.${createSign('RSA-SHA256').update(signed).sign(pair.privateKey).toString('base64url')}`;
    },
    replace(): void {
      pair = newPair();
    },
    async [Symbol.asyncDispose]() {
      publisher.closeAllConnections();
      publisher.close();
      await once(publisher, 'close');
    },
  };
}
