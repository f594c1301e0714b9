import type { EnhancementParameters } from '@burnish/contract';
import { savedVersions } from './saved-versions.ts';

export const presets = savedVersions<EnhancementParameters>('presets', 'parameters');
