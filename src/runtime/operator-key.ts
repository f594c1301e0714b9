import type { InstanceSecrets } from '../database/instance-secrets.ts';
import type { Config } from './config.ts';

/** The operator's key: the configured one, or one that every process of the instance derives from the same secret. */
export async function loadOperatorKey(
  { operatorKey }: Pick<Config, 'operatorKey'>,
  { secrets }: { secrets: InstanceSecrets },
): Promise<string> {
  return operatorKey ?? `bo_${Buffer.from(await secrets.get('operator-key')).toString('base64url')}`;
}
