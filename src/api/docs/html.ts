/** Markup that may stand in a page as it is. */
export interface Html {
  readonly html: string;
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/** A template whose values are escaped unless they are markup themselves; null, undefined and false are nothing. */
export function html(texts: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return { html: texts.reduce((all, text, index) => all + render(parts[index - 1]) + text) };
}

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map((each: HtmlPart) => render(each)).join('');
  return typeof part === 'object' && 'html' in part ? part.html : escape(String(part));
}

function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
