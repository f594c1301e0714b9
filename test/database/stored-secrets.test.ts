import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import type { Database } from '../../src/database/database.ts';
import { createInstanceSecrets } from '../../src/database/instance-secrets.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { instanceSecrets } from '../../src/database/schema/instance.ts';
import { webhookEndpoints } from '../../src/database/schema/webhooks.ts';
import { resealStoredSecrets } from '../../src/database/reseal-stored-secrets.ts';
import { createDeliveries } from '../../src/database/webhooks/deliveries.ts';
import { createWebhookEndpoints, secretAad } from '../../src/database/webhooks/webhook-endpoints.ts';
import { createKeyRing, newKey, createVault } from '../../src/secrets/key-ring.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { AT, newId } from './records.ts';

const [oldKey, key] = [newKey(), newKey()] as const;
const [oldVault, vault] = [createVault(createKeyRing([oldKey])), createVault(createKeyRing([key, oldKey]))] as const;
const OWN = 'https://own.example/hook';

describe.each(DATABASES)('secrets stored in %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let accountId: string;
  let endpointId: string;
  let secret: string;
  beforeAll(async () => {
    opened = await open();
    ({ database } = opened);
    const made = await ensureInitialAccount(database, oldVault, { plan: 'FREE', creditsPerPeriod: 1 });
    accountId = made.account.id;
    const webhook = await createWebhookEndpoints(database, oldVault).create(accountId, {
      url: OWN,
      events: ['upload.status_update'],
    });
    endpointId = webhook.endpoint.id;
    ({ secret } = webhook);
  });
  afterAll(() => opened.close());

  const stored = async (): Promise<string[]> => {
    const [account] = await database.orm.select().from(accounts);
    const [endpoint] = await database.orm.select().from(webhookEndpoints);
    const others = await database.orm.select().from(instanceSecrets);
    return [account!.webhookSecret, endpoint!.secret, ...others.map((row) => row.secret)];
  };
  const signedWith = async (by = vault): Promise<string[]> => {
    const deliveries = createDeliveries(database, by);
    const event = { id: newId('evt'), event: 'upload.status_update' as const, data: {}, created: AT };
    const [planned] = await deliveries.recordEvent(accountId, event, null);
    return (await deliveries.context(planned!.id))!.secrets;
  };

  test('contain no plaintext', async () => {
    expect((await stored()).every((text) => text.startsWith('sealed.1.'))).toBe(true);
    expect(JSON.stringify(await stored())).not.toContain('whsec_');
  });

  test('are not read where one is plain text', async () => {
    await database.orm.update(webhookEndpoints).set({ secret }).where(eq(webhookEndpoints.id, endpointId));
    await expect(signedWith(oldVault)).rejects.toThrow('cannot be decrypted');
    const sealed = oldVault.seal(secret, secretAad(endpointId, 'secret'));
    await database.orm.update(webhookEndpoints).set({ secret: sealed }).where(eq(webhookEndpoints.id, endpointId));
    expect(await signedWith(oldVault)).toEqual([secret]);
  });

  test('are encrypted again at a start with a new key, after which the old key is not needed', async () => {
    const before = await createInstanceSecrets(database, oldVault).get('signed-urls');
    await resealStoredSecrets(database, vault);
    expect((await stored()).every((text) => text.startsWith(vault.prefix))).toBe(true);
    const alone = createVault(createKeyRing([key]));
    expect(await signedWith(alone)).toEqual([secret]);
    expect(Buffer.from(await createInstanceSecrets(database, alone).get('signed-urls')).equals(before)).toBe(true);
  });

  test('can be replaced, and the previous one still signs', async () => {
    const { secret: next } = await createWebhookEndpoints(database, vault).rotateSecret(accountId, endpointId);
    expect(await signedWith()).toEqual([next, secret]);
  });

  test('refuse a process with another key, and do not change', async () => {
    const before = await stored();
    const foreign = createVault(createKeyRing([newKey()]));
    await expect(resealStoredSecrets(database, foreign)).rejects.toThrow(
      `encrypted with the key ${createKeyRing([key]).keyIds[0]}, which this process does not have. Add this key`,
    );
    expect(await stored()).toEqual(before);
  });

  test('cannot be read after a copy to another row', async () => {
    const [account] = await database.orm.select().from(accounts);
    await database.orm.update(webhookEndpoints).set({ secret: account!.webhookSecret });
    await expect(signedWith()).rejects.toThrow('cannot be decrypted');
  });
});
