// Fetches the neural networks into a folder: `node fetch-models.mjs /models`. Runs in the image's build, on the built sources.
import { mkdirSync } from 'node:fs';
import { prepareModels } from '../dist/engine/neural/prepare-models.js';

const [modelsDir = 'models'] = process.argv.slice(2);
mkdirSync(modelsDir, { recursive: true });
const { fine } = await prepareModels({ modelsDir, best: 'fine', env: process.env, report: console.error });
if (fine === null) throw new Error('The networks could not be fetched.');
