/** What made a picture, for its XMP packet. */
export interface Making {
  /** Program with its version, such as `Burnish engine 12.49` */
  agent: string;
  /** Steps that changed pixels, in their order */
  steps: readonly string[];
}

/** A JPEG holds a packet in one segment of 65,533 bytes, together with its name, or not at all. */
const MOST_BYTES = 65_000;
const MM = 'http://ns.adobe.com/xap/1.0/mm/';
const EVENT = 'http://ns.adobe.com/xap/1.0/sType/ResourceEvent#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/**
 * Adds an entry to the history (`xmpMM:History`) of an XMP packet, or makes a packet with it. The entry has no time, so that equal work gives equal
 * bytes. A packet whose structure is not understood, and one that would become too long, stays as it is. Source: XMP specification, part 2, 1.2.8 ResourceEvent.
 * @param xmp UTF-8
 */
export function withHistory(xmp: Uint8Array | undefined, { agent, steps }: Making): Uint8Array {
  const entry = `<rdf:li xmlns:rdf="${RDF}" xmlns:stEvt="${EVENT}" stEvt:action="edited" stEvt:softwareAgent="${escape(agent)}" stEvt:parameters="${escape(steps.join(', '))}"/>`;
  if (xmp === undefined) return Buffer.from(packet(description('', entry)));
  const text = Buffer.from(xmp).toString('utf8');
  const at = placeIn(text);
  if (at === undefined) return xmp;
  const added = at.inHistory ? entry : description(at.about, entry);
  const longer = Buffer.from(text.slice(0, at.index) + added + text.slice(at.index));
  return longer.byteLength > MOST_BYTES ? xmp : longer;
}

/** Where an entry belongs: at the end of the history, else a new history at the end of the packet's properties. */
function placeIn(text: string): { index: number; inHistory: boolean; about: string } | undefined {
  const [, prefix = 'xmpMM'] = new RegExp(`xmlns:([\\w-]+)=["']${MM}["']`).exec(text) ?? [];
  const history = text.indexOf(`<${prefix}:History`);
  if (history >= 0) {
    const end = text.indexOf(`</${prefix}:History>`, history);
    const list = text.lastIndexOf('</rdf:Seq>', end);
    return end > 0 && list > history ? { index: list, inHistory: true, about: '' } : undefined;
  }
  const index = text.lastIndexOf('</rdf:RDF>');
  // Every description of a packet has the same subject.
  const [, about = ''] = /<rdf:Description[^>]*\srdf:about="([^"]*)"/.exec(text) ?? [];
  return index < 0 ? undefined : { index, inHistory: false, about };
}

const description = (about: string, entry: string): string =>
  `<rdf:Description rdf:about="${about}" xmlns:xmpMM="${MM}"><xmpMM:History><rdf:Seq>${entry}</rdf:Seq></xmpMM:History></rdf:Description>`;

const packet = (content: string): string =>
  `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">${content}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
