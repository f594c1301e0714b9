/** RC4, which OpenSSL 3 no longer offers; the same call encrypts and decrypts. */
export function rc4(key: Buffer, data: Buffer): Buffer {
  const state = new Uint8Array(256).map((_, i) => i);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 0xff;
    [state[i], state[j]] = [state[j] as number, state[i] as number];
  }
  const out = Buffer.allocUnsafe(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at += 1) {
    i = (i + 1) & 0xff;
    const a = state[i] as number;
    j = (j + a) & 0xff;
    const b = state[j] as number;
    state[i] = b;
    state[j] = a;
    out[at] = (data[at] as number) ^ (state[(a + b) & 0xff] as number);
  }
  return out;
}
