import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImageArea } from '@burnish/contract';
import { Button } from '../ui/button.tsx';
import { isTouched } from '../ui/is-touched.ts';
import { Notice } from '../ui/notice.tsx';
import { Picture } from './picture.tsx';
import { boundPan, movedByKey, panToward, type Point, type Size } from './view.ts';
import './compare.css';

export interface Sources {
  small: string;
  full: string;
}

interface CompareProps {
  before: Sources;
  after: Sources;
  /** Pixels of the picture afterwards */
  width: number;
  height: number;
  /** The subject of the picture: its file name, or its position in the PDF */
  name: string;
  /** Parts of the picture that get an outline while it is shown whole */
  outlined?: readonly ImageArea[];
}

const PAN_KEYS: Record<string, Point> = {
  ArrowLeft: { x: 60, y: 0 },
  ArrowRight: { x: -60, y: 0 },
  ArrowUp: { x: 0, y: 60 },
  ArrowDown: { x: 0, y: -60 },
};

/** A picture before and after, with a divider between them that mouse, touch and keyboard move; at full size on request. */
export function Compare({ before, after, width, height, name, outlined = [] }: CompareProps) {
  const stage = useRef<HTMLDivElement>(null);
  const handle = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState(50);
  const [pan, setPan] = useState<Point | null>(null);
  const [failed, setFailed] = useState(false);
  const [shown, setShown] = useState({ before: false, after: false });
  const drag = useRef<{ kind: 'divider' } | { kind: 'pan'; from: Point; pan: Point } | undefined>(undefined);

  const inOwnPixels: Size = { width: width / devicePixelRatio, height: height / devicePixelRatio };
  const windowSize = (): Size => ({ width: stage.current!.clientWidth, height: stage.current!.clientHeight });
  const toPoint = (event: MouseEvent): Point => {
    const { left, top } = stage.current!.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const move = (by: Point, from: Point): void =>
    setPan(boundPan({ x: from.x + by.x, y: from.y + by.y }, inOwnPixels, windowSize()));
  const slideTo = ({ x }: Point): void => setPosition(Math.round(bound((x / windowSize().width) * 100)));
  const zoom = (at?: Point): void => {
    const { width: w, height: h } = windowSize();
    setPan(pan === null ? panToward(at ?? { x: w / 2, y: h / 2 }, inOwnPixels, { width: w, height: h }) : null);
  };

  useEffect(() => {
    if (pan === null) return;
    const onResize = (): void => setPan((now) => now && boundPan(now, inOwnPixels, windowSize()));
    addEventListener('resize', onResize);
    return () => removeEventListener('resize', onResize);
  }, [pan !== null, width, height]);

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    stage.current!.setPointerCapture(event.pointerId);
    if (pan !== null && !handle.current!.contains(event.target as Node)) {
      drag.current = { kind: 'pan', from: toPoint(event), pan };
      return;
    }
    drag.current = { kind: 'divider' };
    slideTo(toPoint(event));
    handle.current!.focus({ preventScroll: true });
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent): void => {
    const { current } = drag;
    if (current === undefined) return;
    const at = toPoint(event);
    if (current.kind === 'divider') slideTo(at);
    else move({ x: at.x - current.from.x, y: at.y - current.from.y }, current.pan);
  };
  const onPointerEnd = (): void => void (drag.current = undefined);

  const style = pan === null ? {} : placed(inOwnPixels, pan);
  const pictureOf = (side: 'before' | 'after', sources: Sources) => (
    <>
      <Picture
        src={sources.small}
        alt={`${name}, ${side}`}
        style={style}
        onShow={() => setShown((now) => ({ ...now, [side]: true }))}
        onFail={() => setFailed(true)}
      />
      {pan !== null && <Picture src={sources.full} alt="" style={style} />}
    </>
  );

  if (failed)
    return <Notice kind="warning">The previews cannot be shown. Reload the page, or download the result.</Notice>;
  return (
    <figure class="compare">
      <div
        ref={stage}
        class={pan === null ? 'compare-stage' : 'compare-stage zoomed'}
        style={{ aspectRatio: `${width} / ${height}`, maxWidth: `calc(72vh * ${(width / height).toFixed(4)})` }}
        role="group"
        aria-label={
          pan === null
            ? `${name}, before and after`
            : `${name} at 100 %: ${isTouched() ? 'drag the image' : 'arrow keys move the image'}`
        }
        tabIndex={pan === null ? undefined : 0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerEnd}
        onPointerCancel={onPointerEnd}
        onDblClick={(event) => zoom(toPoint(event))}
        onKeyDown={(event) => {
          const by = PAN_KEYS[event.key];
          if (pan === null || by === undefined || event.target !== stage.current) return;
          event.preventDefault();
          move(by, pan);
        }}
      >
        <div class="compare-layer">{pictureOf('after', after)}</div>
        <div class="compare-layer" style={{ clipPath: `inset(0 ${100 - position}% 0 0)` }}>
          {pictureOf('before', before)}
        </div>
        {pan === null &&
          outlined.map((area, index) => <span key={index} class="compare-area" style={areaStyle(area)} />)}
        {!(shown.before && shown.after) && (
          <span class="compare-loading" role="status">
            <span class="spinner" aria-hidden="true" />
            <span class="sr-only">Rendering the previews …</span>
          </span>
        )}
        {/* A label says what lies under it, so it waits for its picture. */}
        <span class="picture-tag before" aria-hidden="true" hidden={position < 16 || !shown.before}>
          Before
        </span>
        <span class="picture-tag after" aria-hidden="true" hidden={position > 84 || !shown.after}>
          After
        </span>
        <div
          ref={handle}
          class="compare-divider"
          style={{ left: `${position}%` }}
          role="slider"
          tabIndex={0}
          aria-label="Divider between before and after"
          aria-orientation="horizontal"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={position}
          aria-valuetext={`${position} % before, ${100 - position} % after`}
          onKeyDown={(event) => {
            const moved = movedByKey(event.key, event.shiftKey, position);
            if (moved === undefined) return;
            event.preventDefault();
            setPosition(moved);
          }}
        >
          <span class="compare-grip" aria-hidden="true" />
        </div>
      </div>
      <figcaption class="actions">
        <Button kind="quiet" icon="search" aria-pressed={pan !== null} onClick={() => zoom()}>
          100 %
        </Button>
        <span class="hint">
          {pan !== null
            ? 'Drag the image to move it.'
            : isTouched()
              ? 'Drag the divider.'
              : 'Drag the divider, or move it with the arrow keys.'}
        </span>
      </figcaption>
    </figure>
  );
}

const areaStyle = ({ left, top, width, height }: ImageArea): Record<string, string> => ({
  left: `${100 * left}%`,
  top: `${100 * top}%`,
  width: `${100 * width}%`,
  height: `${100 * height}%`,
});

const bound = (percent: number): number => Math.min(100, Math.max(0, percent));

const placed = ({ width, height }: Size, { x, y }: Point): Record<string, string> => ({
  width: `${width}px`,
  height: `${height}px`,
  transform: `translate(${x}px, ${y}px)`,
});
