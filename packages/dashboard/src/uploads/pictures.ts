import type { Sources } from '../compare/compare.tsx';

export const pictures = (path: string): Sources => ({
  small: `${path}?width=2048`,
  full: `${path}?width=full`,
});
