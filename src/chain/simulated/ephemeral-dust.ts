import { wtxidOf } from '../../core/blocks/transaction.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { dustOutputs } from '../../core/relay-policy/dust.ts';
import type { Candidate } from './pre-checks.ts';
import { Refusal } from './refusal.ts';

/** Who spends from an unconfirmed transaction with a dust output must spend that output (Bitcoin Core's ephemeral_policy). Throws Refusal. */
export function checkEphemeralSpends(candidates: readonly Candidate[]): void {
  for (const { tx, parents } of candidates) {
    const spent = new Set(tx.inputs.map(({ prev }) => outpointKey(prev)));
    for (const parent of parents)
      if (dustOutputs(parent.tx.outputs).some((vout) => !spent.has(outpointKey({ txid: parent.tx.txid, vout }))))
        throw new Refusal(
          `missing-ephemeral-spends, tx ${tx.txid} (wtxid=${wtxidOf(tx)}) did not spend parent's ephemeral dust`,
          { final: false, of: tx.txid },
        );
  }
}
