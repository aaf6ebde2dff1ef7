/** Answers in a form that was asked for: they are held against it beside the serving thread. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ChatRequest } from '../../core/inference/chat.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { schemaJobs } from '../../engines/schemas/schema-job.ts';

export interface StructuredAnswer {
  /** Throws `unavailable` where the answer is not in the form: asking again may do. */
  check(text: string): Promise<void>;
}

/** null: no form was asked for. Throws `invalid_value` where it is none. */
export async function structuredAnswer(
  computing: Computing<typeof schemaJobs>,
  { responseFormat }: ChatRequest,
  whose: { readonly accountId: AccountId; readonly signal: AbortSignal },
): Promise<StructuredAnswer | null> {
  if (responseFormat?.type !== 'json_schema') return null;
  const schema = JSON.stringify(responseFormat.schema);
  await computing.run('schema.check', { schema, text: null }, whose);
  return {
    async check(text) {
      const problem = await computing.run('schema.check', { schema, text }, whose);
      if (problem !== null)
        throw new DomainError('unavailable', `the answer of the model is not as response_format says: ${problem}`);
    },
  };
}
