import { DomainError } from '../../errors.ts';
import { isFinalized } from '../codec/input-fields.ts';
import type { SigningView } from './signing-view.ts';
import { isObstacle } from './spent-part.ts';

/** BIP174, "Data Signers Check For", of every input that is not final. */
export function refuseContradictions(view: SigningView): void {
  for (const [index, input] of view.psbt.inputs.entries()) {
    if (isFinalized(input)) continue;
    const spend = view.spend(index);
    if (isObstacle(spend) && spend.unsafe)
      throw new DomainError('unsafe_to_sign', `input ${index} must not be signed: ${spend.reason}`, { field: 'psbt' });
  }
}

/** Where every amount is known, a transaction that pays out more than it spends is none. */
export function refuseOverspending({ parts }: SigningView): void {
  let left = 0n;
  for (const spent of parts.spent) {
    if (spent === null) return;
    left += spent.amount.readBigInt64LE();
  }
  for (const output of parts.outputs) left -= output.readBigInt64LE();
  if (left < 0n)
    throw new DomainError('unsafe_to_sign', 'the outputs pay more than the inputs spend', { field: 'psbt' });
}
