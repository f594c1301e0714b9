import { signal } from '@preact/signals';
import type { FinishedPicture } from '@burnish/contract';
import { get, onSignedOut, once, post, put, remove } from '../api/client.ts';
import type { Listing, Look, LookTrial } from '../api/types.ts';

/** The looks of the account; undefined until they are read. */
export const looks = signal<readonly Look[] | undefined>(undefined);

// The next account has others.
onSignedOut(() => (looks.value = undefined));

/** Reads them again. @throws BurnishError */
export async function readLooks(): Promise<void> {
  looks.value = (await get<Listing<Look>>('/v1/looks')).items;
}

/** Tries a look without saving it. @throws BurnishError */
export const tryLook = (pictures: FinishedPicture[], samples: string[]): Promise<LookTrial> =>
  post<LookTrial>('/v1/look-trials', { body: { pictures, samples } });

/** Saves a look as the latest version of its name. @throws BurnishError */
export async function buildLook(name: string, pictures: FinishedPicture[]): Promise<void> {
  await put<Look>(`/v1/looks/${encodeURIComponent(name)}`, { body: { pictures }, idempotencyKey: once() });
  await readLooks();
}

/** Deletes a look with all versions. @throws BurnishError */
export async function deleteLook(name: string): Promise<void> {
  await remove(`/v1/looks/${encodeURIComponent(name)}`);
  await readLooks();
}
