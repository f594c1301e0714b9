import { canonicalPlanes, measureCoordinates } from '../../../packages/engine/src/image/steps/tone-coordinates.ts';
import { FEATURES, toneFeatures } from '../../../packages/engine/src/image/steps/tone-features.ts';
import { squareOf } from '../../../packages/engine/src/image/steps/tone-square.ts';
import { damaged, mirrored, onWhite } from './damage.ts';
import { BATCH, createTrainer } from './perceptron.ts';
import { isStill, weightOf, type Photograph } from './photographs.ts';
import { randomOf, type Random } from './random.ts';

/** What a damaged photograph shows, and what the good one measures. */
interface Sample {
  features: Float32Array;
  black: number;
  white: number;
  middle: number;
  weight: number;
  /** Number of the photograph */
  photograph: number;
}

const RATE = 2e-3;
/** Each of these leaves out another eighth of the photographs. */
const FOLDS = 8;
/** Every so many photographs, one is an object on white too. */
const OBJECTS = 6;

export interface LevelsOptions {
  /** Versions of each photograph */
  copies: number;
  steps: number;
  /** Pairs of networks, whose quantiles are averaged */
  pairs: number;
}

/** Trains the networks that say which levels of black and white good photographs have. @returns their weights as float32 */
export function trainLevels(photographs: readonly Photograph[], { copies, steps, pairs }: LevelsOptions): Uint8Array {
  const samples = makeSamples(photographs, copies, randomOf(5));
  console.log(`${samples.length} samples of levels`);
  const bytes: Uint8Array[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    bytes.push(fit(samples, 'black', () => [], pair, steps));
    bytes.push(fit(samples, 'white', ({ middle, black }) => [middle, black], pair, steps));
  }
  return Buffer.concat(bytes);
}

function makeSamples(photographs: readonly Photograph[], copies: number, random: Random): Sample[] {
  return photographs.flatMap((photograph, n) => {
    const object = { kind: 'product', planes: onWhite(photograph.planes, random) };
    return (n % OBJECTS === 0 ? [photograph, object] : [photograph]).flatMap((good) => {
      const { black, white, middle } = measureCoordinates(squareOf(good.planes));
      const kept = isStill(good) ? (copies * 2) / 3 : 2;
      return Array.from({ length: copies }, (_, copy): Sample => {
        const version = copy < kept ? good.planes : damaged(good.planes, random);
        const seen = random.next() < 0.5 ? mirrored(version) : version;
        const square = squareOf(seen);
        const features = toneFeatures(canonicalPlanes(square, measureCoordinates(square)), seen);
        return { features, black, white, middle, weight: weightOf(good), photograph: n };
      });
    });
  });
}

/** Trains one network. */
function fit(
  samples: readonly Sample[],
  name: 'black' | 'white',
  given: (sample: Sample) => number[],
  fold: number,
  steps: number,
): Uint8Array {
  const inputs = FEATURES + given(samples[0]!).length;
  const random = randomOf(1000 + 10 * fold + inputs - FEATURES);
  const { rows, mean, scale } = normalized(
    samples.map((sample) => Float32Array.of(...sample.features, ...given(sample))),
  );
  const [middle, spread] = momentsOf(samples.map((sample) => sample[name]));
  const trained = samples.flatMap(({ photograph }, i) => (photograph % FOLDS === fold % FOLDS ? [] : [i]));
  const sums: number[] = [];
  for (const i of trained) sums.push((sums.at(-1) ?? 0) + samples[i]!.weight);
  const draw = (): number => {
    const wanted = random.next() * sums.at(-1)!;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const at = (low + high) >> 1;
      if (sums[at]! > wanted) high = at;
      else low = at + 1;
    }
    return trained[low]!;
  };
  const trainer = createTrainer(inputs, random);
  const [batch, wanted] = [new Float32Array(BATCH * inputs), new Float32Array(BATCH)];
  let loss = 0;
  for (let step = 0; step < steps; step += 1) {
    for (let s = 0; s < BATCH; s += 1) {
      const i = draw();
      batch.set(rows[i]!, s * inputs);
      wanted[s] = (samples[i]![name] - middle) / spread;
    }
    const rate = RATE * (0.5 + 0.5 * Math.cos((Math.PI * step) / steps)) + 1e-5;
    loss += (trainer.step(batch, wanted, rate) - loss) / Math.min(step + 1, 50);
  }
  console.log(`${name} ${fold}: pinball loss ${loss.toFixed(4)}`);
  const parts = [mean, scale, Float32Array.of(middle, spread), ...trainer.layers().flat()];
  return Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)));
}

/** Returns the inputs with a mean of 0 and a spread of 1, at most 4 away. */
function normalized(inputs: readonly Float32Array[]): {
  rows: Float32Array[];
  mean: Float32Array;
  scale: Float32Array;
} {
  const columns = Array.from(inputs[0]!, (_, f) => momentsOf(inputs.map((row) => row[f]!)));
  const mean = Float32Array.from(columns, ([own]) => own);
  const scale = Float32Array.from(columns, ([, spread]) => spread + 0.02);
  const rows = inputs.map((row) => row.map((value, f) => Math.min(4, Math.max(-4, (value - mean[f]!) / scale[f]!))));
  return { rows, mean, scale };
}

function momentsOf(values: readonly number[]): [number, number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [mean, Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)];
}
