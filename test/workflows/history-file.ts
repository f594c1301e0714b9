import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

/** A history as Temporal itself encodes it: the message `temporal.api.history.v1.History` in protobuf's binary form. */
export const encodeHistory = (history: History): Uint8Array => History.encode(history).finish();
export const decodeHistory = (bytes: Uint8Array): History => History.decode(bytes);
