/** Markup that a page may contain unescaped. */
export interface Html {
  readonly html: string;
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/** A template that escapes its values unless they are markup; null, undefined and false become empty. */
export function html(texts: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return { html: texts.reduce((all, text, index) => all + render(parts[index - 1]) + text) };
}

/** A page of Burnish. It runs no inline script and requests no icon. */
export function page(title: string, stylesheet: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylesheet}" />
      </head>
      ${body}
    </html>`.html;
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
