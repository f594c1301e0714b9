import { html } from './html.ts';
import type { Html } from './html.ts';
import { inline } from './prose.ts';

/** The part of JSON Schema that our own description makes use of. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  example?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

const MAX_DEPTH = 4;

const nameOf = (ref: string): string => ref.split('/').at(-1)!;

/** A table of an object's fields, with those of nested objects behind their path; schemas with a name are linked. */
export function fieldTable(schema: Schema): Html {
  return html`<div class="wide">
    <table class="fields">
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows(schema, '', 0)}
      </tbody>
    </table>
  </div>`;
}

function rows(schema: Schema, prefix: string, depth: number): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = !(schema.required?.includes(name) ?? false);
    const own = html`<tr>
      <td><code>${prefix}${name}</code>${optional && html` <span class="optional">optional</span>`}</td>
      <td>${typeOf(field)}</td>
      <td>${field.description !== undefined && inline(field.description)}</td>
    </tr>`;
    const nested = objectIn(field);
    return nested === undefined || depth === MAX_DEPTH ? [own] : [own, ...rows(nested, `${prefix}${name}.`, depth + 1)];
  });
}

/** The object that a field holds, or holds unless it is null. */
function objectIn(field: Schema): Schema | undefined {
  if (field.properties !== undefined) return field;
  return field.anyOf?.find(({ properties }) => properties !== undefined);
}

/** A type in words, with its bounds. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) return html`<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((each, index) => [index > 0 && ' or ', typeOf(each)])}`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((each, index) => [index > 0 && ' ', html`<code>${String(each)}</code>`])}`;
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}${bounds(schema)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything');
  return html`${type}${schema.format !== undefined && `, ${schema.format}`}${bounds(schema)}`;
}

function bounds({ minimum, maximum, maxLength, maxItems }: Schema): string {
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return `, ${minimum} to ${maximum}`;
  if (isBound(minimum)) return `, at least ${minimum}`;
  if (isBound(maximum)) return `, at most ${maximum}`;
  if (maxLength !== undefined) return `, at most ${maxLength} characters`;
  return maxItems === undefined ? '' : `, at most ${maxItems}`;
}
