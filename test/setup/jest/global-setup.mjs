import './typescript.mjs';

/** Jest requires this file, and `require` reads no TypeScript; `import` does, by the hooks of the line above. */
export default async function globalSetup() {
  const { default: provideDownloads } = await import('../temporal.ts');
  await provideDownloads();
}
