/** Answers of models held against the JSON Schema that was asked for. Both are others' words: what takes too long is given up. */
import { runInNewContext } from 'node:vm';
import { DomainError } from '../../core/errors.ts';

export interface SchemaCheck {
  /** JSON. */
  readonly schema: string;
  /** The answer; null: only whether the schema is one. */
  readonly text: string | null;
}

const FIELD = 'response_format.json_schema.schema';
const MOST_MS = 3_000;
const MOST_SHOWN = 200;

const refused = (reason: string): DomainError =>
  new DomainError('invalid_value', `${FIELD} ${reason.slice(0, MOST_SHOWN)}`, { field: FIELD });

/** What is wrong with the answer; null: it is as the schema says. Throws `invalid_value` for the schema. */
async function check({ schema, text }: SchemaCheck): Promise<string | null> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  // Formats only annotate (JSON Schema 2020-12 §7.2.1).
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  // Makers of schemas name the draft that they write; what they use of it is the same in all.
  const { $schema: _, ...rest } = JSON.parse(schema) as Record<string, unknown>;
  const work = (): string | null => {
    const validate = compiled(() => ajv.compile({ ...rest, $async: false }));
    if (text === null) return null;
    const said = parsed(text);
    if (said === undefined) return 'it is no JSON';
    if (validate(said)) return null;
    return ajv.errorsText(validate.errors, { dataVar: 'the answer' }).slice(0, MOST_SHOWN);
  };
  try {
    // Interrupts patterns and references that take exponential time, too.
    return runInNewContext('work()', { work }, { timeout: MOST_MS }) as string | null;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (name === 'RangeError') throw refused('refers to itself without end');
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw refused('takes too long to hold an answer against: make its patterns and references simpler');
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
