import type { Look } from '@burnish/contract';
import { savedVersions } from './saved-versions.ts';

export type LookContent = Pick<Look, 'values' | 'proof'>;

export const looks = savedVersions<LookContent>('looks', 'content');
