import type { Sources } from '../compare/compare.tsx';

export const pictures = (address: string): Sources => ({
  small: `${address}?width=2048`,
  full: `${address}?width=full`,
});
