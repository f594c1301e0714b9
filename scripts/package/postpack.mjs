#!/usr/bin/env node
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';
import { KEPT_MANIFEST, MANIFEST } from './prepack.mjs';

// Gives the clone its manifest and its own packages back.
if (existsSync(KEPT_MANIFEST)) renameSync(KEPT_MANIFEST, MANIFEST);
rmSync(join(root, 'dist', 'node_modules'), { recursive: true, force: true });
