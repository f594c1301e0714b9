import type { Api, UploadRecord } from '../e2e/api.ts';

export type AnnouncedUpload = UploadRecord & { uploadUrl: string };

/** Step 1 of a signed upload, over REST. */
export async function announce(
  api: Api,
  file: Uint8Array,
  mimetype: string,
  filename = 'file',
): Promise<AnnouncedUpload> {
  const order = { filename, filesize: file.byteLength, mimetype, enhancements: [{}] };
  return (await api.call<AnnouncedUpload>('POST', '/v1/uploads/signed', { body: order })).body;
}

/** Step 2: sends the file to storage, like curl. @returns the status of the response */
export async function put(url: string | URL, file: Uint8Array, type: string): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(file) });
  await response.arrayBuffer();
  return response.status;
}

/** Step 3, over REST. */
export async function complete(api: Api, id: string): Promise<{ status: number; body: UploadRecord }> {
  return api.call<UploadRecord>('POST', `/v1/uploads/${id}/complete`, { body: {} });
}
