import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import type { Database } from '../../src/database/database.ts';
import { createInstanceSecrets } from '../../src/database/instance-secrets.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { instanceSecrets } from '../../src/database/schema/instance.ts';
import type { SealedAddress } from '../../src/database/schema/column-types.ts';
import { resumableUploads } from '../../src/database/schema/upload-parts.ts';
import { uploadStarts } from '../../src/database/schema/upload-starts.ts';
import { uploads } from '../../src/database/schema/uploads.ts';
import { deliveries, webhookEndpoints } from '../../src/database/schema/webhooks.ts';
import { createUploadParts } from '../../src/database/uploads/upload-parts.ts';
import { createUploadStarts, type StartInput } from '../../src/database/uploads/upload-starts.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { resealStoredSecrets } from '../../src/database/reseal-stored-secrets.ts';
import { createDeliveries } from '../../src/database/webhooks/deliveries.ts';
import { createWebhookEndpoints, secretAad } from '../../src/database/webhooks/webhook-endpoints.ts';
import { createKeyRing, newKey, createVault } from '../../src/secrets/key-ring.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, anUpload, AT, newId } from './records.ts';

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

  test('are addresses too, which 1.0.0-rc.2 stored without encryption: a start encrypts them', async () => {
    const { orm } = database;
    const record = { ...anUpload(accountId), webhookUrl: OWN };
    await createUploads(database, vault).project(record);
    const event = { id: newId('evt'), event: 'upload.status_update' as const, data: {}, created: AT };
    const planned = await createDeliveries(database, vault).recordEvent(accountId, event, OWN);
    const input = { source: { kind: 'url', url: OWN } } as StartInput;
    const plain = OWN as SealedAddress;
    await orm.update(uploads).set({ webhookUrl: plain });
    await orm.update(webhookEndpoints).set({ url: plain, host: null });
    await orm.update(deliveries).set({ url: plain, host: null });
    const start = { uploadId: record.id, accountId, createdAt: AT };
    await orm.insert(uploadStarts).values({ ...start, input: JSON.stringify(input) });
    await orm.insert(resumableUploads).values({ ...start, length: 1, metadata: `webhookUrl ${OWN}`, expiresAt: AT });

    await resealStoredSecrets(database, vault);
    const tables = [uploads, webhookEndpoints, deliveries, uploadStarts, resumableUploads];
    for (const table of tables) expect(JSON.stringify(await orm.select().from(table))).not.toContain('/hook');
    expect((await orm.select().from(deliveries)).map(({ host }) => host)).not.toContain(null);
    expect(await createUploads(database, vault).get(accountId, record.id)).toMatchObject({ webhookUrl: OWN });
    expect(await createWebhookEndpoints(database, vault).get(accountId, endpointId)).toMatchObject({ url: OWN });
    for (const { id } of planned)
      expect(await createDeliveries(database, vault).context(id)).toMatchObject({ url: OWN });
    expect((await createUploadStarts(database, vault).find(record.id))?.input).toEqual(input);
    const resumable = await createUploadParts(database, vault).get(accountId, record.id);
    expect(resumable).toMatchObject({ metadata: `webhookUrl ${OWN}` });
    // A second start leaves them as they are.
    const [once] = await orm.select().from(uploads);
    await resealStoredSecrets(database, vault);
    expect((await orm.select().from(uploads))[0]).toEqual(once);
  });

  test('do not open for another account', async () => {
    const other = await addAccount(database);
    await database.orm.update(uploads).set({ accountId: other });
    await expect(createUploads(database, vault).list(other, { limit: 1 })).rejects.toThrow('cannot be decrypted');
    await database.orm.update(uploads).set({ accountId });
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
