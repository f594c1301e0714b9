import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths } from './burnish.js';

const client = createClient<paths>({ baseUrl: process.env.BURNISH, headers: { 'x-api-key': process.env.KEY } });
const photo = await readFile('photo.jpg');
const { data, error } = await client.POST('/v1/uploads', {
  params: { query: { enhancements: '[{"upscalingFactor":"X2"}]' }, header: { Prefer: 'wait=30' } },
  headers: { 'content-type': 'application/octet-stream' },
  body: photo as never,
  bodySerializer: (bytes) => bytes,
});
if (error) throw new Error(`${error.code}: ${error.detail}`);
console.log(data.enhancements[0].fullUrl);
