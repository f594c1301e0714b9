/* Field types of the parameters in `parameter-table.ts`. */

/** Flag of `burnish enhance` for a parameter. `name` is the attribute of the option; the flag is `name` in kebab-case. */
export interface Flag<Name extends string = string> {
  name: Name;
  /** Placeholder of its value, such as `<n>`; absent for a switch */
  argument?: `<${string}>`;
  /** Text for `--help`; the values of a choice are appended automatically */
  help?: string;
  /** Value of a switch; true for a boolean parameter */
  sets?: string | true;
}

/** What an enhancement does to a picture. */
export type Feature = 'color' | 'restoration' | 'upscaling';

interface Common {
  description: string;
  flag?: Flag;
  /** A switch of its own for one value of a choice that has a flag */
  shortcut?: Flag | undefined;
  /** Not part of the hosted contract: sent only to a service that lists it */
  beyondContract?: true;
  /** Feature that the parameter asks for unless its value is neutral; images only, because work on PDFs is counted by their images */
  feature?: Feature;
  /** Value that leaves the file unchanged; null: absence. A parameter without one only tunes another. */
  neutral?: string | number | boolean | null;
}

export interface ChoiceField<Value extends string = string> extends Common {
  type: 'choice';
  values: Readonly<Record<Value, string>>;
  default: Value;
  /** The look of an account is a value too */
  orLook?: true;
  /** Values that PDFs accept as well, of a parameter for images */
  forPdfs?: readonly Value[];
  /** The GraphQL enum */
  enumType: { name: string; description: string };
}

/** Any number of values, as a list. */
export interface ChoicesField<Value extends string = string> extends Omit<ChoiceField<Value>, 'type' | 'default'> {
  type: 'choices';
  default: readonly Value[];
}

export interface NumberField extends Common {
  type: 'number';
  min: number;
  /** By default, the cap of the account's plan */
  max?: number;
  integer?: true;
  /** By default, the engine chooses */
  default?: number;
  /** A parameter for images that PDFs accept as well */
  forPdfs?: true;
}

export interface BooleanField extends Common {
  type: 'boolean';
  default: boolean;
}

/** A short string of a fixed form. */
export interface StringField extends Common {
  type: 'string';
  /** Source of a regular expression for the whole value */
  pattern: string;
  /** Characters */
  maxLength: number;
  /** What the value is, after `expected` */
  expected: string;
  default: string;
}

/** An object of the adjustments in `COLOR_ADJUSTMENTS`. */
export interface ColorField extends Common {
  type: 'color';
}

/** Choices for single images of a PDF (`ImageChoices`). */
export interface ImagesField extends Common {
  type: 'images';
}

/** Pages of a PDF that stay as they are (`PageChoices`). */
export interface PagesField extends Common {
  type: 'pages';
}

export type ParameterField =
  ChoiceField | ChoicesField | NumberField | BooleanField | StringField | ColorField | ImagesField | PagesField;

/** A choice whose default and neutral value are among its values. */
export function choice<Value extends string, const Own extends Flag, const Short extends Flag | undefined = undefined>(
  field: Omit<ChoiceField<Value>, 'type' | 'default' | 'neutral' | 'forPdfs' | 'flag' | 'shortcut'> & {
    default: NoInfer<Value>;
    neutral?: NoInfer<Value>;
    forPdfs?: readonly NoInfer<Value>[];
    flag: Own;
    shortcut?: Short;
  },
): Omit<ChoiceField<Value>, 'flag' | 'shortcut'> & { flag: Own; shortcut: Short } {
  return { type: 'choice', ...field, shortcut: field.shortcut as Short };
}
