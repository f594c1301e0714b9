import { useRef } from 'preact/hooks';
import type { TrialArea } from '../api/types.ts';
import { isTouched } from '../ui/is-touched.ts';
import type { Place } from './use-trial.ts';

/** Way of one press of a key, in parts of a side. */
const STEP = 0.05;

const KEYS: Record<string, Place> = {
  ArrowLeft: { x: -STEP, y: 0 },
  ArrowRight: { x: STEP, y: 0 },
  ArrowUp: { x: 0, y: -STEP },
  ArrowDown: { x: 0, y: STEP },
};

/** The whole picture with the part that is shown at 100 %. Mouse, touch and keys move the part. */
export function PartMap({
  src,
  area,
  place,
  onMove,
}: {
  src: string;
  area: TrialArea | undefined;
  place: Place;
  onMove: (place: Place) => void;
}) {
  const map = useRef<HTMLDivElement>(null);
  const isDragged = useRef(false);
  const moveTo = ({ clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = map.current!.getBoundingClientRect();
    onMove({ x: within((clientX - left) / width), y: within((clientY - top) / height) });
  };
  const { width, height } = area ?? { width: 0, height: 0 };
  const [left, top] = [start(place.x, width), start(place.y, height)];
  return (
    <div
      ref={map}
      class="part-map"
      role="group"
      tabIndex={0}
      aria-label={isTouched() ? 'Part at 100 %: drag the frame' : 'Part at 100 %: arrow keys move the frame'}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        map.current!.setPointerCapture(event.pointerId);
        isDragged.current = true;
        moveTo(event);
      }}
      onPointerMove={(event) => isDragged.current && moveTo(event)}
      onPointerUp={() => void (isDragged.current = false)}
      onPointerCancel={() => void (isDragged.current = false)}
      onKeyDown={(event) => {
        const by = KEYS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onMove({ x: within(place.x + by.x), y: within(place.y + by.y) });
      }}
    >
      <img src={src} alt="" draggable={false} />
      {area !== undefined && (
        <span
          class="part-frame"
          style={{
            left: `${100 * left}%`,
            top: `${100 * top}%`,
            width: `${100 * width}%`,
            height: `${100 * height}%`,
          }}
        />
      )}
    </div>
  );
}

const within = (part: number): number => Math.min(1, Math.max(0, Math.round(part * 1000) / 1000));

const start = (centre: number, length: number): number => Math.min(1 - length, Math.max(0, centre - length / 2));
