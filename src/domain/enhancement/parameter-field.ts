/* What a parameter of an enhancement is made of; `parameter-table.ts` has them all. Plain data: workflows load this file too. */

/** How `burnish enhance` takes a parameter. The attribute of the option is `name`; the flag is `name` in kebab-case. */
export interface Flag<Name extends string = string> {
  name: Name;
  /** Placeholder of its value, such as `<n>`; absent for a switch */
  argument?: `<${string}>`;
  /** Words for `--help`; the values of a choice follow by themselves */
  help?: string;
  /** Value that a switch sets; true for a boolean parameter */
  sets?: string | true;
}

/** What callers pay for. */
export type PricedFeature = 'color' | 'restoration' | 'upscaling';

interface Common {
  /** Sentences for callers: in `/docs`, OpenAPI and GraphQL */
  description: string;
  /** A further sentence for the GraphQL input */
  inputNote?: string;
  flag?: Flag;
  /** The hosted contract lacks it: it is sent only to a service that lists it */
  beyondContract?: true;
  /** Feature that is charged unless the value is neutral; images only, since PDFs are priced by their images */
  price?: PricedFeature;
  /** Value that leaves the file as it is; null: absence. A parameter without one only tunes another. */
  neutral?: string | number | boolean | null;
}

/** One of some named values. */
export interface ChoiceField<Value extends string = string> extends Common {
  type: 'choice';
  /** Each value with its description */
  values: Readonly<Record<Value, string>>;
  default: Value;
  /** The enum of GraphQL */
  enumType: { name: string; description: string };
}

export interface NumberField extends Common {
  type: 'number';
  min: number;
  /** Absent: the cap of the account's plan bounds it */
  max?: number;
  integer?: true;
  /** Absent: the engine chooses */
  default?: number;
}

export interface BooleanField extends Common {
  type: 'boolean';
  default: boolean;
}

/** An object of the adjustments in `COLOR_ADJUSTMENTS`. */
export interface ColorField extends Common {
  type: 'color';
}

export type ParameterField = ChoiceField | NumberField | BooleanField | ColorField;

/** A choice whose default and neutral value are among its values. */
export function choice<Value extends string, const Own extends Flag>(
  field: Omit<ChoiceField<Value>, 'type' | 'default' | 'neutral' | 'flag'> & {
    default: NoInfer<Value>;
    neutral?: NoInfer<Value>;
    flag: Own;
  },
): Omit<ChoiceField<Value>, 'flag'> & { flag: Own } {
  return { type: 'choice', ...field };
}
