import { formatBtc, MAX_SATS } from '../amount.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../errors.ts';
import type { FeeRate } from '../fee-rate.ts';
import type { Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';
import { DUST_RELAY_FEE_RATE, dustThreshold } from '../relay-policy/dust.ts';
import { isStandardOutput } from '../relay-policy/standard-scripts.ts';
import { dataScript } from '../scripts/data-script.ts';
import type { PaymentRequest, PlannedOutput } from './payment-plan.ts';

export interface PaymentRecipient {
  /** hex */
  readonly scriptPubKey: string;
  /** 'max': all that is left of all spendable coins (or of the included ones alone, when given). At most one recipient. */
  readonly amountSats: bigint | 'max';
}

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
 * A request's addresses as scripts of the network, checked. Throws `invalid_address`, `wrong_network`, and what checkRecipients throws; all
 * recipients that are wrong are listed.
 */
export function payeesOf(
  { recipients, subtractFeeFrom, data }: Pick<PaymentRequest, 'recipients' | 'subtractFeeFrom' | 'data'>,
  network: Network,
): Payees {
  const refused: DomainError[] = [];
  const decoded = recipients.map(({ address, amount }, index): PaymentRecipient | null => {
    if (refused.length >= MAX_ERRORS) return null;
    try {
      return { scriptPubKey: decodeAddress(address, network).scriptPubKey, amountSats: amount };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refused.push(error.at(`recipients[${index}].address`));
      return null;
    }
  });
  if (refused.length > 0) refuseAll([...refused, ...recipientProblems(decoded)]);
  const known = decoded as PaymentRecipient[];
  // Last, so that the others keep the positions that callers know them by.
  const output: PaymentRecipient[] = data === undefined ? [] : [{ scriptPubKey: dataScript(data), amountSats: 0n }];
  return checkRecipients([...known, ...output], subtractFeeFrom);
}

/**
 * Throws `invalid_amount`, `dust` (naming the least amount), `policy_refused` for a script no node relays, `invalid_value` for a
 * subtract_fee_from that names no recipient.
 */
export function checkRecipients(
  recipients: readonly PaymentRecipient[],
  subtractFeeFrom: readonly number[] = [],
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
function recipientProblems(
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

/**
 * Takes `feeSats` from the recipients who pay it, in equal parts, the remainder from the first of them. Throws
 * `amount_too_small_for_fee` where that leaves less than nothing or dust.
 */
export function deductFee(
  payees: Pick<Payees, 'outputs' | 'payers'>,
  feeSats: bigint,
  dustRelayFeeRate: FeeRate = DUST_RELAY_FEE_RATE,
): PlannedOutput[] {
  const payers = new Set(payees.payers);
  const share = feeSats / BigInt(payers.size);
  let remainder = feeSats % BigInt(payers.size);
  return payees.outputs.map((output) => {
    if (output.recipient === null || !payers.has(output.recipient)) return output;
    const amountSats = output.amountSats - share - remainder;
    remainder = 0n;
    const least = dustThreshold(Buffer.from(output.scriptPubKey, 'hex'), dustRelayFeeRate);
    if (amountSats < least) {
      throw new DomainError(
        'amount_too_small_for_fee',
        `${formatBtc(output.amountSats)} BTC cannot pay its part of the fee of ${formatBtc(feeSats)}: ` +
          `at least ${formatBtc(least)} must be left of it`,
        { field: `recipients[${output.recipient}].amount` },
      );
    }
    return { ...output, amountSats };
  });
}
