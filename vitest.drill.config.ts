import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({ test: { include: ['test/drills/**/*.drill.ts'], maxWorkers: 1, testTimeout: 300_000 } }),
);
