import { MAX_SATS } from '../../amount.ts';
import { DomainError } from '../../errors.ts';
import type { PsbtV2 } from '../psbt.ts';
import { spentOutput } from './input-fields.ts';
import { outputAmount } from './output-fields.ts';

/** Where the amounts of one side of a transaction come to more than 21,000,000 BTC (Bitcoin Core's MoneyRange); null: nowhere. */
export function aboveAllMoney(amountsSats: Iterable<bigint | null>): number | null {
  let totalSats = 0n;
  let index = 0;
  for (const amountSats of amountsSats) {
    totalSats += amountSats ?? 0n;
    if (totalSats > MAX_SATS) return index;
    index += 1;
  }
  return null;
}

/** How a refusal says it, of an input or output. */
export const ABOVE_ALL_MONEY = 'with it, the amounts come to more than 21,000,000 BTC, which is all that there can be';

/** As on reading: what is made here can be read again. Throws `invalid_value` (inputs[i], outputs[i]). */
export function refuseAboveAllMoney({ inputs, outputs }: PsbtV2): void {
  const sides = {
    inputs: inputs.map((input) => spentOutput(input)?.amountSats ?? null),
    outputs: outputs.map(outputAmount),
  };
  for (const [side, amountsSats] of Object.entries(sides)) {
    const index = aboveAllMoney(amountsSats);
    if (index !== null) throw new DomainError('invalid_value', ABOVE_ALL_MONEY, { field: `${side}[${index}]` });
  }
}
