import { EngineError } from '@burnish/contract/engine';
import { machineFault } from '../machine-fault.ts';

type Callback = (...args: unknown[]) => unknown;

/**
 * Runs the work of a public function, so that each error of it is an EngineError. The reason of the caller's signal and the errors
 * of the caller's functions reach the caller as they are.
 * @param work takes the input with the functions of the caller
 */
export async function withEngineErrors<Input extends object, Result>(
  input: Input,
  work: (input: Input) => Result | Promise<Result>,
): Promise<Result> {
  const thrown: unknown[] = [];
  try {
    return await work(withNotedErrors(input, thrown));
  } catch (error) {
    if (thrown.length > 0) throw thrown[0];
    if ('signal' in input) (input.signal as AbortSignal | undefined)?.throwIfAborted();
    if (error instanceof EngineError) throw error;
    throw machineFault(error) ?? new EngineError('INTERNAL', { cause: error });
  }
}

/** The input, whose functions note what they throw: the work may turn such an error into one about the file. */
function withNotedErrors<Input extends object>(input: Input, thrown: unknown[]): Input {
  const note = (error: unknown): never => {
    thrown.push(error);
    throw error;
  };
  const noting =
    (callback: Callback): Callback =>
    (...args) => {
      try {
        const result = callback(...args);
        return result instanceof Promise ? result.catch(note) : result;
      } catch (error) {
        return note(error);
      }
    };
  const entries = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === 'function' ? noting(value as Callback) : (value as unknown),
  ]);
  return Object.fromEntries(entries) as Input;
}
