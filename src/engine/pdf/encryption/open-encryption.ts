import { openEncryption, type Encryption } from './encryption.ts';
import { isDict, isString, type PdfDict, type PdfValue } from '../syntax/objects.ts';

/** The encryption that a trailer names, if any. @throws Failure ENCRYPTED_PDF when it needs another password */
export function openStandardEncryption(
  trailer: PdfDict,
  resolve: (value: PdfValue | undefined) => PdfValue,
  password?: string,
): Encryption | undefined {
  const dict = resolve(trailer.get('Encrypt'));
  if (!isDict(dict)) return undefined;
  const ids = resolve(trailer.get('ID'));
  const first = Array.isArray(ids) ? resolve(ids[0]) : null;
  return openEncryption(dict, isString(first) ? first.bytes : Buffer.alloc(0), resolve, password);
}
