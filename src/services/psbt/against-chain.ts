/** What the chain says of the inputs of a PSBT: whether their outputs exist, are unspent, and are what the PSBT says. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { formatBtc } from '../../core/amount.ts';
import type { PsbtCheck, Verdict } from '../../core/psbt/inspection/psbt-checks.ts';
import type { SpentOutput } from '../../core/psbt/jobs/psbt-jobs.ts';

export const AT_ONCE = 16;

/** Throws `node_unavailable` or `unavailable` as the chain source does. */
export async function chainChecks(
  inputs: readonly SpentOutput[],
  chain: Pick<ChainSource, 'utxo'>,
): Promise<PsbtCheck[]> {
  const checkOf = async ({ outpoint, amountSats, scriptPubKey }: SpentOutput, index: number): Promise<PsbtCheck> => {
    const say = (verdict: Verdict, detail: string): PsbtCheck => ({
      check: 'chain',
      map: 'input',
      index,
      verdict,
      detail,
    });
    const coin = await chain.utxo(outpoint);
    if (coin === null) return say('failed', 'its output does not exist, or is spent already');
    if (amountSats === null || scriptPubKey === null)
      return say('passed', `it is unspent, and of ${formatBtc(coin.amountSats)} BTC`);
    if (coin.amountSats !== amountSats)
      return say('failed', `it is of ${formatBtc(coin.amountSats)} BTC, not ${formatBtc(amountSats)}`);
    if (coin.scriptPubKey !== Buffer.from(scriptPubKey).toString('hex'))
      return say('failed', 'its output has another script than the PSBT says');
    return say('passed', 'it is unspent, and is what the PSBT says');
  };
  const checks: PsbtCheck[] = [];
  for (let from = 0; from < inputs.length; from += AT_ONCE)
    checks.push(
      ...(await Promise.all(inputs.slice(from, from + AT_ONCE).map((input, at) => checkOf(input, from + at)))),
    );
  return checks;
}
