import { openFilesystemStore } from './filesystem.ts';
import type { ObjectStore } from './object-store.ts';
import { StartupError } from '../domain/startup-error.ts';

/**
 * Opens the store that a setting names: `file:./relative`, `file:/absolute` or `file:///absolute`.
 * @throws StartupError with one sentence for the operator; of a setting that is refused it shows the scheme only, since the
 *   rest may hold a secret
 */
export async function openObjectStore(setting: string): Promise<ObjectStore> {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(setting)?.[0] ?? '';
  if (scheme.toLowerCase() !== 'file:') {
    throw new StartupError(
      `Expected storage such as file:./objects but received ${scheme === '' ? 'a text without a scheme' : `scheme ${scheme}`}.`,
    );
  }
  const path = setting.slice(scheme.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    throw new StartupError(`Expected storage such as file:./objects but received file: without a local path.`);
  }
  return await openFilesystemStore(path);
}
