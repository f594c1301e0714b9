import { MultiBar, type SingleBar } from 'cli-progress';

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

/** Shows the progress of work to a person. */
export interface Progress {
  /** A line that stays */
  line(text: string): void;
  /** The progress of a file. @param fraction 0 to 1 */
  update(file: string, step: string, fraction: number): void;
  /** The file is finished: removes its bar */
  clear(file: string): void;
  close(): void;
}

/** Bars where there is a terminal to draw them on, plain lines otherwise. */
export function createProgress(out: Output): Progress {
  return out.isTTY === true ? createBars(out) : createLines(out);
}

function createLines(out: Output): Progress {
  const steps = new Map<string, string>();
  return {
    line: (text) => void out.write(`${text}\n`),
    update(file, step) {
      if (steps.get(file) === step) return;
      steps.set(file, step);
      out.write(`${file}: ${step}\n`);
    },
    clear: (file) => void steps.delete(file),
    close: () => undefined,
  };
}

function createBars(out: Output): Progress {
  const bars = new Map<string, SingleBar>();
  let group: MultiBar | undefined;

  function end(): void {
    group?.update();
    group?.stop();
    group = undefined;
    bars.clear();
  }

  return {
    line(text) {
      if (group === undefined) out.write(`${text}\n`);
      else group.log(`${text}\n`);
    },
    update(file, step, fraction) {
      group ??= new MultiBar({
        stream: out as NodeJS.WritableStream,
        format: '{file} [{bar}] {percentage}% {step}',
        barsize: 28,
        clearOnComplete: true,
        hideCursor: true,
        // Signals belong to the command.
        gracefulExit: false,
      });
      const value = Math.round(Math.max(0, Math.min(1, fraction)) * 100);
      const bar = bars.get(file);
      if (bar === undefined) bars.set(file, group.create(100, value, { file, step }));
      else bar.update(value, { file, step });
    },
    clear(file) {
      const bar = bars.get(file);
      if (bar === undefined) return;
      bars.delete(file);
      if (bars.size === 0) end();
      else group?.remove(bar);
    },
    close: end,
  };
}
