import { DomainError, MAX_ERRORS, refuseAll } from '../../../core/errors.ts';
import type { FeeChoice } from '../../../core/fee-rate.ts';
import type { WalletId } from '../../../core/ids.ts';
import type { DaoRecord } from '../../../store/repositories/governance.ts';
import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';

/** Characters of an address, an id, an amount or a reason. */
const LONGEST = 500;

/** As they were given. */
export type Given = Readonly<Record<string, unknown>>;

interface Checked {
  /**
   * In a job that has the DAO's row, when it is made. Answers the parameters as they are kept. Throws, naming the field below `parameters`.
   */
  check(tx: Repositories, dao: DaoRecord, parameters: Given): Promise<Given>;
}

/** What a proposal of a type asks for, and what it does once it has passed. */
export interface AppliedType extends Checked {
  /** In the job of its execution, which has the DAO's row; checks again. Answers what has changed; null: nothing. */
  apply(
    tx: Repositories,
    dao: DaoRecord,
    parameters: Given,
    context: Pick<RequestContext, 'credential'>,
  ): Promise<{ before: object; after: object } | null>;
}

/** One that is executed by a payment. */
export interface PayingType extends Checked {
  /** Of the parameters as they are kept. */
  pays(parameters: Given): TreasuryPayment;
}

export interface TreasuryPayment {
  /** The treasury of the time when it was proposed. */
  readonly walletId: WalletId;
  readonly recipients: readonly { readonly address: string; readonly amount: bigint }[];
  readonly feeRate: FeeChoice;
}

export type ProposalType = AppliedType | PayingType;

export const PROPOSAL_TYPES = [
  ...(['text', 'parameter_change', 'token_mint', 'treasury_spend', 'treasury_change', 'policy_change'] as const),
] as const;

export const refused = (field: string, message: string): DomainError =>
  new DomainError('invalid_value', message, { field: field === '' ? 'parameters' : `parameters.${field}` });

/** The first of the names that are none of these. */
export function unknownAmong(parameters: Given, names: readonly string[]): DomainError[] {
  const has = names.length === 0 ? 'this type has no parameters' : `is unknown: this type has ${names.join(', ')}`;
  const unknown = Object.keys(parameters).filter((name) => !names.includes(name));
  return unknown.slice(0, MAX_ERRORS).map((name) => refused(name.slice(0, 100), has));
}

/** Throws where one of `required` has no text, or a name is none of these, telling all. */
export function assertTexts(
  parameters: Given,
  { required, optional = [] }: { required: readonly string[]; optional?: readonly string[] },
): void {
  const names = [...required, ...optional];
  const problems = names.flatMap((name) => {
    const problem = textProblem(parameters[name], optional.includes(name));
    return problem === null ? [] : [refused(name, problem)];
  });
  refuseAll([...unknownAmong(parameters, names), ...problems]);
}

function textProblem(value: unknown, mayLack: boolean): string | null {
  if (value === undefined && mayLack) return null;
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty';
  return value.length > LONGEST ? `must have at most ${LONGEST} characters` : null;
}
