import { createRequire } from 'node:module';
import proto from '@temporalio/proto';
import { StartupError } from '../domain/startup-error.ts';

export type History = proto.temporal.api.history.v1.IHistory;

interface ProtoJson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): unknown;
}
interface PatchedRoot {
  patchProtobufRoot(root: object): { lookupType(name: string): unknown };
}

const require = createRequire(import.meta.url);
/** Several copies of protobufjs are installed, and each refuses the types of another. This is the copy of the types. */
const requireForProto = createRequire(require.resolve('@temporalio/proto'));

/**
 * A history from the JSON that `temporal workflow show --output json` prints. Unknown fields of newer servers are left out.
 * @param name of the file, for the error
 * @throws StartupError for any other text
 */
export function historyFromJson(text: string, name: string): History {
  const { fromJson } = requireForProto('protobufjs/ext/protojson') as ProtoJson;
  const { patchProtobufRoot } = require('@temporalio/proto/lib/patch-protobuf-root.js') as PatchedRoot;
  try {
    const type = patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
    const history = fromJson(type, JSON.parse(text), { ignoreUnknownFields: true }) as History | null;
    if (history?.events?.[0]?.workflowExecutionStartedEventAttributes) return history;
  } catch (cause) {
    throw notAHistory(name, cause);
  }
  throw notAHistory(name);
}

function notAHistory(name: string, cause?: unknown): StartupError {
  const made = 'temporal workflow show --workflow-id <id> --output json';
  return new StartupError(`${name} is not a whole history of a workflow. Make it with: ${made}`, { cause });
}
