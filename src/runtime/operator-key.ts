import type { InstanceSecrets } from '../database/instance-secrets.ts';
import type { Config } from './config.ts';

export async function loadOperatorKey(
  { operatorKey }: Pick<Config, 'operatorKey'>,
  { secrets }: { secrets: InstanceSecrets },
): Promise<string> {
  return operatorKey ?? `bo_${Buffer.from(await secrets.get('operator-key')).toString('base64url')}`;
}
