import { randomBytes } from 'node:crypto';
import { freePorts, startInstance, type Instance } from '../e2e/instance.ts';
import { faultProxy, type FaultProxy } from './fault-proxy.ts';

/** The hosted service (second instance). It uses the local provider. The local instance reaches it through a fault proxy. */
export interface FarSide {
  instance: Instance;
  /** Proxy between the local instance and the hosted service, for API, storage and downloads */
  proxy: FaultProxy;
  /** Settings of the local instance for the hosted service */
  settings: { BURNISH_HOSTED_URL: string; BURNISH_HOSTED_API_KEY: string };
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFarSide(env: NodeJS.ProcessEnv = {}): Promise<FarSide> {
  const ports = await freePorts();
  const proxy = await faultProxy(() => `http://127.0.0.1:${ports.gateway}`);
  try {
    const instance = await startInstance({
      ports,
      env: {
        // Signed addresses also go through the proxy.
        BURNISH_PUBLIC_URL: proxy.url,
        BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
        BURNISH_PLAN: 'BUSINESS',
        ...env,
      },
    });
    return {
      instance,
      proxy,
      settings: { BURNISH_HOSTED_URL: proxy.url, BURNISH_HOSTED_API_KEY: instance.apiKey },
      async [Symbol.asyncDispose]() {
        await instance[Symbol.asyncDispose]();
        await proxy[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
}

/** The local instance. The hosted service enhances its uploads and sends it webhooks. */
export interface NearSide {
  instance: Instance;
  /** Proxy for webhooks from the hosted service to the local instance; operation `Webhook` */
  webhooks: FaultProxy;
  /** Address for webhooks of the hosted service, through `webhooks` */
  webhookUrl: string;
  /** Secret that signs the webhooks */
  webhookSecret: string;
  /** Kills all its processes with SIGKILL, and starts it again with the same folder, ports and settings. */
  killAndRestart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the local instance, and registers its webhook address at the hosted service. @param env additional settings */
export async function startNearSide(far: FarSide, env: NodeJS.ProcessEnv = {}): Promise<NearSide> {
  const ports = await freePorts();
  const webhooks = await faultProxy(() => `http://127.0.0.1:${ports.gateway}`);
  const token = randomBytes(18).toString('base64url');
  const webhookUrl = `${webhooks.url}/webhooks/hosted/${token}`;
  try {
    const { body } = await far.instance.api.call<{ secret: string }>('POST', '/v1/webhooks', {
      body: { url: webhookUrl },
    });
    const options = {
      ports,
      env: {
        BURNISH_PROVIDER: 'hosted',
        ...far.settings,
        BURNISH_HOSTED_WEBHOOK_TOKEN: token,
        BURNISH_HOSTED_WEBHOOK_SECRET: body.secret,
        BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
        BURNISH_HOSTED_RATE: '200',
        BURNISH_PLAN: 'BUSINESS',
        ...env,
      },
    };
    const first = await startInstance(options);
    const near: NearSide = {
      instance: first,
      webhooks,
      webhookUrl,
      webhookSecret: body.secret,
      async killAndRestart() {
        await near.instance.killTree();
        near.instance = await startInstance({ ...options, dataDir: first.dataDir, apiKey: first.apiKey });
      },
      async [Symbol.asyncDispose]() {
        await near.instance[Symbol.asyncDispose]();
        // The first instance owns the folder.
        await first[Symbol.asyncDispose]();
        await webhooks[Symbol.asyncDispose]();
      },
    };
    return near;
  } catch (error) {
    await webhooks[Symbol.asyncDispose]();
    throw error;
  }
}
