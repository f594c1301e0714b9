import { createRequire } from 'node:module';

/** A text that a caller may send, as `/openapi.json` describes it. */
export interface InputField {
  operationId: string;
  method: string;
  /** Template, such as `/v1/uploads/{id}` */
  path: string;
  /** `query`, `header`, or the media type of the body */
  place: string;
  /** Names from the outside in; `0` is an element of a list, `*` any name */
  names: readonly string[];
  /** Such as `uri` or `password` */
  format: string;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Parameter {
  $ref?: string;
  in: string;
  name: string;
  schema: Schema;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const { paths, components } = createRequire(import.meta.url)('../../docs/api/openapi.json') as {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
};

const byReference = (reference: string): object => {
  const [section = '', name = ''] = reference.split('/').slice(-2);
  return components[section]![name]!;
};

/** The names and the format of each text in a schema. An enum is no text of the caller's. */
function textsIn(schema: Schema, names: readonly string[] = []): Pick<InputField, 'names' | 'format'>[] {
  if (schema.$ref !== undefined) return textsIn(byReference(schema.$ref), names);
  const { properties = {}, additionalProperties: others, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  const parts = [...anyOf, ...oneOf, ...allOf].flatMap((part) => textsIn(part, names));
  const named = Object.entries(properties).flatMap(([name, part]) => textsIn(part, [...names, name]));
  const listed = items === undefined ? [] : textsIn(items, [...names, '0']);
  const isOpen = others === true || (typeof others === 'object' && Object.keys(others).length === 0);
  const any = isOpen && Object.keys(properties).length === 0 ? [{ names: [...names, '*'], format: '' }] : [];
  const isText = [schema.type].flat().includes('string') && schema.enum === undefined && schema.const === undefined;
  const own = isText ? [{ names, format: schema.format ?? '' }] : [];
  return [...parts, ...named, ...listed, ...any, ...own];
}

/** Every text that an operation of the interface accepts from its caller, besides the parts of its path. */
export const inputFields: readonly InputField[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
    const at = { operationId, method: method.toUpperCase(), path };
    const ofParameters = parameters
      .map((each) => (each.$ref === undefined ? each : (byReference(each.$ref) as Parameter)))
      .filter((each) => each.in !== 'path')
      .flatMap(({ in: place, name, schema }) => textsIn(schema, [name]).map((text) => ({ ...at, place, ...text })));
    const ofBodies = Object.entries(requestBody?.content ?? {}).flatMap(([place, { schema }]) =>
      textsIn(schema).map((text) => ({ ...at, place, ...text })),
    );
    return [...ofParameters, ...ofBodies];
  }),
);
