import { escape, inline } from './markdown.mjs';
import { table } from './table.mjs';

/** The page of all records of REST, whose names are its anchors. */
export const RECORDS_FILE = 'reference/records.html';

/**
 * The type of a field in words, with links to records.
 * @param {any} schema
 * @returns {string} HTML
 */
export function describeType(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return `<a href="records.html#${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(describeType).join(' or ');
  if (schema.allOf) return schema.allOf.map(describeType).join(' with ');
  if (schema.const !== undefined) return `<code>${escape(String(schema.const))}</code>`;
  if (schema.enum)
    return schema.enum.map((/** @type {unknown} */ value) => `<code>${escape(String(value))}</code>`).join(', ');
  const type = [schema.type ?? 'any']
    .flat()
    .map((name) => (name === 'array' ? `list of ${describeType(schema.items ?? {})}` : name));
  return `${type.join(' or ')}${boundsOf(schema)}`;
}

/** @param {any} schema */
function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, format, default: fallback }) {
  const [least, most] = [minimum ?? minLength ?? minItems, maximum ?? maxLength ?? maxItems];
  const parts = [
    ...(format === 'date-time' ? ['time'] : []),
    ...rangeOf(least, most),
    ...(fallback === undefined ? [] : [`default ${escape(JSON.stringify(fallback))}`]),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 */
function rangeOf(least, most) {
  if (least !== undefined && least === most) return [`exactly ${most}`];
  if (least && most !== undefined) return [`${least} to ${most}`];
  if (most !== undefined) return [`at most ${most}`];
  return least ? [`at least ${least}`] : [];
}

/**
 * The fields of an object; its type where it is none.
 * @param {any} document
 * @param {any} schema
 * @param {string} [caption] HTML
 * @returns {string} HTML
 */
export function fieldTable(document, schema, caption = '') {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return fieldTable(document, document.components.schemas[name], `${caption}: ${describeType(schema)}`);
  }
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `<p>${describeType(schema)}</p>`;
  const required = new Set(schema.required ?? []);
  const rows = properties.map(([name, field]) => {
    const mark = required.has(name) ? '' : ' <small>optional</small>';
    const meaning = inline(field.description ?? '');
    return `<tr><td><code>${escape(name)}</code>${mark}</td><td>${describeType(field)}</td><td>${meaning}</td></tr>`;
  });
  return table('Fields', ['Field', 'Type', 'Meaning'], rows, caption);
}

/**
 * @param {any} document of OpenAPI
 */
export function recordsPage({ ...document }) {
  const schemas = Object.entries(document.components.schemas).sort(([a], [b]) => a.localeCompare(b));
  const records = schemas.map(
    ([name, schema]) =>
      `<section aria-labelledby="${name}"><h2 id="${name}">${name}</h2>\n${schema.description ? `<p>${inline(schema.description)}</p>` : ''}\n${fieldTable(document, schema)}</section>`,
  );
  return {
    file: RECORDS_FILE,
    title: 'Records',
    content: `<h1>Records</h1>\n<p>Bodies and answers of REST, by name.</p>\n${records.join('\n')}`,
    sections: schemas.map(([name, schema]) => ({
      id: name,
      heading: name,
      text: Object.entries(schema.properties ?? {})
        .map(([field, { description = '' }]) => `${field} ${description}`)
        .join(' '),
    })),
  };
}
