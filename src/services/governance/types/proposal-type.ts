import { DomainError } from '../../../core/errors.ts';
import type { DaoRecord } from '../../../store/repositories/governance.ts';
import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';

/** As they were given. */
export type Given = Readonly<Record<string, unknown>>;

/** What a proposal of a type asks for, and what it does once it has passed. */
export interface ProposalType {
  /** In a job that has the DAO's row: when it is made, and when it is executed. Throws, naming the field below `parameters`. */
  check(tx: Repositories, dao: DaoRecord, parameters: Given): Promise<void>;
  /** In the job of its execution, which has the DAO's row. Answers what has changed, as the audit log tells it; null: nothing. */
  apply(
    tx: Repositories,
    dao: DaoRecord,
    parameters: Given,
    context: Pick<RequestContext, 'credential'>,
  ): Promise<{ before: object | null; after: object } | null>;
}

export const refused = (field: string, message: string): DomainError =>
  new DomainError('invalid_value', message, { field: field === '' ? 'parameters' : `parameters.${field}` });

/** Throws where a name is none of these, or one of `required` has no text. */
export function assertTexts(
  parameters: Given,
  { required, optional = [] }: { required: readonly string[]; optional?: readonly string[] },
): void {
  const names = [...required, ...optional];
  const unknown = Object.keys(parameters).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refused(
      unknown.slice(0, 100),
      names.length === 0 ? 'this type has no parameters' : `is unknown: this type has ${names.join(', ')}`,
    );
  for (const name of names) {
    const value = parameters[name];
    if (value === undefined && optional.includes(name)) continue;
    if (typeof value !== 'string' || value === '') throw refused(name, 'must be a text that is not empty');
  }
}
