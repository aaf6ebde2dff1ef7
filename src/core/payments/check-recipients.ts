import { formatBtc, MAX_SATS } from '../amount.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../errors.ts';
import type { FeeRate } from '../fee-rate.ts';
import { DUST_RELAY_FEE_RATE, dustThreshold } from '../policy/dust.ts';
import { isStandardOutput } from '../policy/standard-scripts.ts';
import type { PaymentRecipient, PlannedOutput } from './payment-plan.ts';

/** Checked recipients. */
export interface Payees {
  /** All but the one that takes what is left. */
  readonly outputs: readonly PlannedOutput[];
  readonly outputsSats: bigint;
  /** The one with amount 'max', its amount still 0. */
  readonly rest: PlannedOutput | null;
  /** Indexes of recipients who pay the fee. */
  readonly payers: readonly number[];
}

/**
 * Throws `invalid_amount`, `dust` (naming the least amount), `policy_refused` for a script no node relays, `invalid_value` for a
 * subtract_fee_from that names no recipient.
 */
export function checkRecipients(
  recipients: readonly PaymentRecipient[],
  subtractFeeFrom: readonly number[],
  dustRelayFeeRate: FeeRate = DUST_RELAY_FEE_RATE,
): Payees {
  if (recipients.length === 0)
    throw new DomainError('invalid_value', 'a payment needs at least one recipient', { field: 'recipients' });
  const outputs: PlannedOutput[] = [];
  let outputsSats = 0n;
  let rest: PlannedOutput | null = null;
  refuseAll(recipientProblems(recipients, dustRelayFeeRate));
  for (const [index, { scriptPubKey, amountSats }] of recipients.entries()) {
    if (amountSats === 'max') {
      if (rest)
        throw new DomainError('invalid_value', 'only one recipient may have the amount "max"', {
          field: `recipients[${index}].amount`,
        });
      rest = { scriptPubKey, amountSats: 0n, recipient: index };
    } else {
      outputs.push({ scriptPubKey, amountSats, recipient: index });
      outputsSats += amountSats;
    }
  }
  if (outputsSats > MAX_SATS)
    throw new DomainError('invalid_amount', 'the recipients together get more than 21000000 BTC', {
      field: 'recipients',
    });
  checkPayers(subtractFeeFrom, recipients.length, rest);
  return { outputs, outputsSats, rest, payers: rest ? [] : subtractFeeFrom };
}

/** What is wrong with each of them, by itself, as far as it is listed. null: known to be wrong already. */
export function recipientProblems(
  recipients: readonly (PaymentRecipient | null)[],
  dustRelayFeeRate: FeeRate = DUST_RELAY_FEE_RATE,
): DomainError[] {
  const problems: DomainError[] = [];
  for (const [index, recipient] of recipients.entries()) {
    if (problems.length >= MAX_ERRORS) break;
    const problem = recipient === null ? null : recipientProblem(recipient, index, dustRelayFeeRate);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

function recipientProblem(
  { scriptPubKey, amountSats }: PaymentRecipient,
  index: number,
  dustRelayFeeRate: FeeRate,
): DomainError | null {
  const script = Buffer.from(scriptPubKey, 'hex');
  if (!isStandardOutput(script)) {
    return new DomainError('policy_refused', 'nodes do not relay payments to this kind of script', {
      field: `recipients[${index}].address`,
    });
  }
  return amountSats === 'max' ? null : amountProblem(script, amountSats, index, dustRelayFeeRate);
}

/** `dust` or `invalid_amount` of one recipient's amount; null where nothing is wrong with it. */
function amountProblem(
  script: Buffer,
  amountSats: bigint,
  index: number,
  dustRelayFeeRate: FeeRate,
): DomainError | null {
  const field = `recipients[${index}].amount`;
  if (amountSats < 0n || amountSats > MAX_SATS) {
    const message = `an amount must be between 0 and 21000000 BTC, not ${formatBtc(amountSats)}`;
    return new DomainError('invalid_amount', message, { field });
  }
  const least = dustThreshold(script, dustRelayFeeRate);
  if (amountSats >= least) return null;
  const message = `${formatBtc(amountSats)} BTC is dust, which nodes do not relay: the least amount for this address is ${formatBtc(least)}`;
  return new DomainError('dust', message, { field });
}

function checkPayers(payers: readonly number[], recipients: number, rest: PlannedOutput | null): void {
  const seen = new Set<number>();
  for (const [at, index] of payers.entries()) {
    const field = `subtract_fee_from[${at}]`;
    if (!Number.isInteger(index) || index < 0 || index >= recipients)
      throw new DomainError('invalid_value', `there is no recipient ${index}; they count from 0`, { field });
    if (seen.has(index)) throw new DomainError('invalid_value', `recipient ${index} is named twice`, { field });
    if (rest && index !== rest.recipient)
      throw new DomainError('invalid_value', 'the recipient with the amount "max" pays the fee, no other can', {
        field,
      });
    seen.add(index);
  }
}
