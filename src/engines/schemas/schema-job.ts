/** Answers of models held against the JSON Schema that was asked for. Both are others' words. */
import { DomainError } from '../../core/errors.ts';

export interface SchemaCheck {
  /** JSON. */
  readonly schema: string;
  /** The answer; null: only whether the schema is one. */
  readonly text: string | null;
}

const FIELD = 'response_format.json_schema.schema';
const MOST_SHOWN = 200;

const refused = (reason: string): DomainError =>
  new DomainError('invalid_value', `${FIELD} ${reason.slice(0, MOST_SHOWN)}`, { field: FIELD });

/** What is wrong with the answer; null: it is as the schema says. Throws `invalid_value` for the schema. */
async function check({ schema, text }: SchemaCheck): Promise<string | null> {
  const [{ Ajv2020 }, { RE2JS }] = await Promise.all([import('ajv/dist/2020.js'), import('re2js')]);
  // Patterns take time by the length of what they read: none goes back over it.
  const regExp = (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Its text is what Ajv tells patterns apart by.
    return { test: (read: string) => compiled.matcher(read).find(), toString: () => pattern };
  };
  // Formats only annotate (JSON Schema 2020-12 §7.2.1).
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const ajv = new Ajv2020({ ...options, code: { regExp: Object.assign(regExp, { code: '' }) } });
  // Makers of schemas name the draft that they write; what they use of it is the same in all.
  const { $schema: _, ...rest } = JSON.parse(schema) as Record<string, unknown>;
  try {
    const validate = compiled(() => ajv.compile({ ...rest, $async: false }));
    if (text === null) return null;
    const said = parsed(text);
    if (said === undefined) return 'it is no JSON';
    if (validate(said)) return null;
    return ajv.errorsText(validate.errors, { dataVar: 'the answer' }).slice(0, MOST_SHOWN);
  } catch (error) {
    if ((error as Error).name === 'RangeError') throw refused('refers to itself without end');
    throw error;
  }
}

function compiled<Made>(compile: () => Made): Made {
  try {
    return compile();
  } catch (error) {
    throw refused(`is no JSON Schema that stands alone: ${(error as Error).message}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const schemaJobs = { 'schema.check': check };
