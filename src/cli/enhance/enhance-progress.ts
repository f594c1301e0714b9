import { MultiBar, type SingleBar } from 'cli-progress';
import { printable, printableName } from '../printable.ts';

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
    line: (text) => void out.write(`${printable(text)}\n`),
    update(file, step) {
      if (steps.get(file) === step) return;
      steps.set(file, step);
      out.write(`${printableName(file)}: ${printableName(step)}\n`);
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
      if (group === undefined) out.write(`${printable(text)}\n`);
      else group.log(`${printable(text)}\n`);
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
      const shown = { file: printableName(file), step: printableName(step) };
      if (bar === undefined) bars.set(file, group.create(100, value, shown));
      else bar.update(value, shown);
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
