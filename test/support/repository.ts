import { fileURLToPath } from 'node:url';

/** The folder with package.json, without a trailing slash. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
