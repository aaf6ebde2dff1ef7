import { DomainError } from '../../errors.ts';
import { spentOutput } from '../codec/input-fields.ts';
import { ABOVE_ALL_MONEY, aboveAllMoney } from '../codec/money-range.ts';
import { outputAmount } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';

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
