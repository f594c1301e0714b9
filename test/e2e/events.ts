export interface StreamEvent {
  id: string | undefined;
  event: string;
  data: Record<string, unknown>;
}

/** Reads `text/event-stream` as the HTML standard says, as far as this interface uses it. Ends with the stream. */
export async function* readEvents(
  url: string,
  apiKey: string,
  { lastEventId, signal }: { lastEventId?: string; signal?: AbortSignal } = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const response = await fetch(url, {
    headers: {
      'x-api-key': apiKey,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok || response.body === null) throw new Error(`The event stream was answered with ${response.status}.`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(
    new TextDecoderStream() as never,
  ) as unknown as AsyncIterable<string>) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parseBlock(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

function parseBlock(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return {
    id: fields.get('id'),
    event: fields.get('event') ?? 'message',
    data: JSON.parse(data) as Record<string, unknown>,
  };
}
