import { formatBtc, MAX_SATS } from '../amount.ts';
import { DomainError } from '../errors.ts';
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
  for (const [index, { scriptPubKey, amountSats }] of recipients.entries()) {
    checkScript(scriptPubKey, index);
    if (amountSats === 'max') {
      if (rest)
        throw new DomainError('invalid_value', 'only one recipient may have the amount "max"', {
          field: `recipients[${index}].amount`,
        });
      rest = { scriptPubKey, amountSats: 0n, recipient: index };
    } else {
      checkAmount(scriptPubKey, amountSats, index, dustRelayFeeRate);
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

function checkScript(scriptPubKey: string, index: number): void {
  if (isStandardOutput(Buffer.from(scriptPubKey, 'hex'))) return;
  throw new DomainError('policy_refused', 'nodes do not relay payments to this kind of script', {
    field: `recipients[${index}].address`,
  });
}

/** Throws `dust` or `invalid_amount` for one recipient's amount. */
export function checkAmount(scriptPubKey: string, amountSats: bigint, index: number, dustRelayFeeRate: FeeRate): void {
  const field = `recipients[${index}].amount`;
  if (amountSats < 0n || amountSats > MAX_SATS)
    throw new DomainError(
      'invalid_amount',
      `an amount must be between 0 and 21000000 BTC, not ${formatBtc(amountSats)}`,
      {
        field,
      },
    );
  const least = dustThreshold(Buffer.from(scriptPubKey, 'hex'), dustRelayFeeRate);
  if (amountSats < least)
    throw new DomainError(
      'dust',
      `${formatBtc(amountSats)} BTC is dust, which nodes do not relay: the least amount for this address is ${formatBtc(least)}`,
      { field },
    );
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
