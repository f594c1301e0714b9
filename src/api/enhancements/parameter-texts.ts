import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';

/** Fields of an object schema that may all be absent; what a field is stands inside. */
type OptionalShape = Record<string, { unwrap(): { description?: string | undefined } }>;

/** The description of each parameter, as the domain says it; a parameter without one is a mistake of ours. */
function texts<Shape extends OptionalShape>(shape: Shape): Record<keyof Shape & string, string> {
  const entries = Object.entries(shape).map(([name, field]) => {
    const { description } = field.unwrap();
    if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
    return [name, description];
  });
  return Object.fromEntries(entries) as Record<keyof Shape & string, string>;
}

const { shape } = enhancementParametersSchema;

export const PARAMETERS = texts(shape);
export const COLOR = texts(shape.customColorConfig.unwrap().shape);
