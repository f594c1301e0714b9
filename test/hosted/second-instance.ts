import { randomBytes } from 'node:crypto';
import { freePorts, startInstance, type Instance } from '../e2e/instance.ts';
import { faultProxy, type FaultProxy } from './fault-proxy.ts';

/** The other side: an instance of its own, with the local provider, that is only reached through a proxy that breaks things. */
export interface FarSide {
  instance: Instance;
  /** Between us and it: API, storage and downloads */
  proxy: FaultProxy;
  /** What we need to use it */
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
        // Signed addresses lead through the proxy too.
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

/** Our side: an instance whose uploads are served by the far side, and which hears its webhooks. */
export interface NearSide {
  instance: Instance;
  /** Between the far side's webhooks and us; operation `Webhook` */
  webhooks: FaultProxy;
  /** Address that the far side's webhooks go to, through `webhooks` */
  webhookUrl: string;
  /** What they are signed with */
  webhookSecret: string;
  /** Ends it as the kernel does, and starts it again in the same place with the same settings. */
  killAndRestart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it and registers its webhook address at the far side. @param env settings beside those that it needs */
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
        // The folder belongs to the first.
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
