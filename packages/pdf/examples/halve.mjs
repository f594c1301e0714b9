import { deflateSync } from 'node:zlib';
import { findReachable, isStream, name, openPdfDocument, rewrite } from '@burnish/pdf';

const [input, output] = process.argv.slice(2);
const pdf = openPdfDocument(input);
const streams = new Map();
for (const [number, used] of (await findReachable(pdf)).entries()) {
  const image = used ? pdf.get(number) : null;
  if (!isStream(image)) continue;
  const of = (key) => pdf.resolve(image.dict.get(key));
  const channels = { DeviceGray: 1, DeviceRGB: 3 }[of('ColorSpace')?.value];
  if (of('Subtype')?.value !== 'Image' || of('BitsPerComponent') !== 8 || !channels) continue;
  const [width, height] = [of('Width'), of('Height')];
  // A PNG predictor adds a byte to each row.
  const { data, imageFilter } = pdf.decode(image, 'imageBytes', (width * channels + 1) * height);
  const [across, down] = [width >> 1, height >> 1];
  if (imageFilter !== undefined || across * down === 0) continue;
  const half = Buffer.alloc(across * down * channels);
  for (let at = 0; at < half.length; at += 1) {
    const [pixel, channel] = [Math.floor(at / channels), at % channels];
    const from = (2 * Math.floor(pixel / across) * width + 2 * (pixel % across)) * channels + channel;
    const four = [0, channels, width * channels, (width + 1) * channels].map((step) => data[from + step]);
    half[at] = Math.round((four[0] + four[1] + four[2] + four[3]) / 4);
  }
  streams.set(number, {
    dict: ({ dict }) => new Map(dict).set('Width', across).set('Height', down).set('Filter', name('FlateDecode')),
    data: () => deflateSync(half),
  });
}
await rewrite(pdf, output, { streams });
pdf.close();
console.log(`halved images: ${streams.size}`);
