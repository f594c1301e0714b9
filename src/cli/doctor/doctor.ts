import type { Config } from '../../runtime/config.ts';
import type { DoctorOptions } from './doctor-command.ts';
import type { Finding } from './finding.ts';
import { checkMachine } from './machine-checks.ts';
import { checkDatabase, checkPorts, checkTemporal } from './service-checks.ts';

const SIGNS: Record<Finding['state'], string> = { good: 'ok', advice: 'note', fault: 'FAULT' };

/** Checks what a start needs, and starts nothing. @returns one line for each finding; not well: a start would fail */
export async function examine(
  config: Config,
  env: NodeJS.ProcessEnv,
  { json = false }: DoctorOptions,
): Promise<{ lines: string[]; isWell: boolean }> {
  const findings = [
    ...(await checkMachine(config)),
    await checkTemporal(config, env),
    ...(await checkDatabase(config)),
    ...(await checkPorts(config, env)),
  ];
  const isWell = findings.every(({ state }) => state !== 'fault');
  return { lines: json ? [JSON.stringify({ ready: isWell, findings })] : findings.map(toLine), isWell };
}

const toLine = ({ subject, state, sentence }: Finding): string =>
  `${SIGNS[state].padEnd(5)}  ${subject.padEnd(10)}  ${sentence}`;
