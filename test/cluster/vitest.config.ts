import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], globalSetup: [] } },
  defineConfig({
    test: { include: ['test/cluster/**/*.cluster.ts'], maxWorkers: 1, testTimeout: 180_000, hookTimeout: 900_000 },
  }),
);
