import { PDFDocument } from '@cantoo/pdf-lib';
import { jpegImage, photograph } from './pictures.ts';

export type Algorithm = 'RC4-40' | 'RC4-128' | 'AES-128' | 'AES-256';

/** A file that another program encrypted, with one JPEG a page at 72 pixels an inch. The owner's password is `owner`. */
export async function encryptedPdf(
  algorithm: Algorithm,
  userPassword: string,
  { data, width, height, pages = 1 }: { data: Buffer; width: number; height: number; pages?: number },
): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.setTitle('A title that is encrypted');
  for (let page = 0; page < pages; page += 1) {
    const image = await document.embedJpg(data);
    document.addPage([300, 300]).drawImage(image, { x: 10, y: 10, width, height });
  }
  document.encrypt({ userPassword, ownerPassword: 'owner', algorithm, allowWeakCryptography: true, permissions: {} });
  return Buffer.from(await document.save());
}

/** Large enough to be accepted as an upload; `secret` opens it. */
export async function largeEncryptedPdf(
  algorithm: Algorithm = 'AES-256',
  userPassword = 'secret',
  pages = 1,
): Promise<Buffer> {
  const size = { width: 280, height: 210 };
  const { data } = await jpegImage(photograph(size.width, size.height), 95);
  return encryptedPdf(algorithm, userPassword, { data, ...size, pages });
}

/**
 * A file of one empty page whose user's password is `secret` and whose owner has none, as qpdf 11.3 writes it
 * (`qpdf --encrypt secret "" 256 --allow-insecure`), in base64: the library that other tests use puts the user's password in its place.
 */
export const WITHOUT_OWNER_PASSWORD = [
  'JVBERi0xLjcKJb/3ov4KMSAwIG9iago8PCAvRXh0ZW5zaW9ucyA8PCAvQURCRSA8PCAvQmFzZVZlcnNpb24gLzEuNyAvRXh0ZW5zaW9uTGV2ZW',
  'wgOCA+PiA+PiAvUGFnZXMgMiAwIFIgL1R5cGUgL0NhdGFsb2cgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL0NvdW50IDEgL0tpZHMgWyAzIDAgUiBd',
  'IC9UeXBlIC9QYWdlcyA+PgplbmRvYmoKMyAwIG9iago8PCAvTWVkaWFCb3ggWyAwIDAgOSA5IF0gL1BhcmVudCAyIDAgUiAvVHlwZSAvUGFnZS',
  'A+PgplbmRvYmoKNCAwIG9iago8PCAvQ0YgPDwgL1N0ZENGIDw8IC9BdXRoRXZlbnQgL0RvY09wZW4gL0NGTSAvQUVTVjMgL0xlbmd0aCAzMiA+',
  'PiA+PiAvRmlsdGVyIC9TdGFuZGFyZCAvTGVuZ3RoIDI1NiAvTyA8Y2IxMGNkNTI2YTlhMTRkYzc4ODdkMmE1Yzc2ZDU3YTI5YTQ3NjFmOTg2Yz',
  'VkZjdkYmZhM2VmZTdjODgzNjE3ZTY5ZWNhY2EyMWZkNjNhMDI0Njg3YzUxNWNkMDMxYmE1PiAvT0UgPDVmMTJmYmEyNmNhYWExNjgwMTA1Njk5',
  'OWViNDhlZjRhMDYyZTY2MDE4NjhlYTcxNWUyZWIwMzVmYmRlYTJkMTA+IC9QIC00IC9QZXJtcyA8NDliYzk2NmZhY2E3NWMwODQ3OTUyYjI4ZD',
  'BiNzUzYWQ+IC9SIDYgL1N0bUYgL1N0ZENGIC9TdHJGIC9TdGRDRiAvVSA8ZTUwY2YxOGJlOGY1ZGYxYzY4NTFkZDBkMTk3Zjc4NzJhMjMyZGNl',
  'ZTJlMDJmMDMzNjMzMzljMWY4MTY2ZmRjNDUzNGEwYWFlNGVhYjRlYzM5ODlmZWIyNDBhNGE2YzA0PiAvVUUgPDgxMmY1NTFhMjYzOWZlYmZjOD',
  'ZmMmE3ZWQ0ZWQ3ODg1ZGVmM2MzMWM4ODYzMGM1MGFmMDQ2MzIzMjBjZjcyYjY+IC9WIDUgPj4KZW5kb2JqCnhyZWYKMCA1CjAwMDAwMDAwMDAg',
  'NjU1MzUgZiAKMDAwMDAwMDAxNSAwMDAwMCBuIAowMDAwMDAwMTMwIDAwMDAwIG4gCjAwMDAwMDAxODkgMDAwMDAgbiAKMDAwMDAwMDI1OCAwMD',
  'AwMCBuIAp0cmFpbGVyIDw8IC9Sb290IDEgMCBSIC9TaXplIDUgL0lEIFs8NjJjZWQzMjEwZGZkNzIzNDMyMzM3MWQ1NjUyZTE4MjU+PDYyY2Vk',
  'MzIxMGRmZDcyMzQzMjMzNzFkNTY1MmUxODI1Pl0gL0VuY3J5cHQgNCAwIFIgPj4Kc3RhcnR4cmVmCjgwNQolJUVPRgo=',
].join('');
