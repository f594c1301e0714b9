import type { Photograph } from './photographs.ts';

interface Size {
  width: number;
  height: number;
}

interface Scene {
  seed: number;
}

interface Renderer {
  renderScene(scene: Scene, options: Size & { samples: number }): Float32Array;
}

interface Camera {
  takePhotograph(light: Float32Array, size: Size, camera: object): Buffer;
}

/** Well exposed, neutral and without noise. */
const GOOD_CAMERA = { exposure: 0.95, balance: [1, 1, 1], noise: 0 };
const SIZE = { width: 480, height: 320 };

/** Renders the samples' scenes with a camera without faults. Each takes a few seconds. */
export async function photographsOfSamples(): Promise<Photograph[]> {
  const [{ renderScene }, { takePhotograph }, { SCENES }] = await Promise.all([
    load<Renderer>('render'),
    load<Camera>('camera'),
    load<{ SCENES: Record<string, Scene> }>('scenes'),
  ]);
  return Object.entries(SCENES).map(([name, scene]) => {
    const light = renderScene(scene, { ...SIZE, samples: 1 });
    const data = Uint8Array.from(takePhotograph(light, SIZE, { seed: scene.seed, ...GOOD_CAMERA }));
    return { name: `${name} (rendered)`, data, ...SIZE };
  });
}

async function load<T>(name: string): Promise<T> {
  return (await import(new URL(`../../scripts/samples/${name}.mjs`, import.meta.url).href)) as T;
}
