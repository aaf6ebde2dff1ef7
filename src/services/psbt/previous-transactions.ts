/** The outputs that a PSBT's inputs spend, as the node knows them: what an updater adds that has a chain. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import { isWitnessProgram } from '../../core/policy/standard-scripts.ts';
import { previousOutpoint } from '../../core/psbt/input-fields.ts';
import { INPUT } from '../../core/psbt/key-types.ts';
import type { PsbtV2 } from '../../core/psbt/psbt.ts';
import type { PsbtInputFacts } from '../../core/psbt/psbt-draft.ts';
import { AT_ONCE, MAX_LOOKED_UP } from './against-chain.ts';

type Chain = Pick<ChainSource, 'transaction' | 'utxo'>;

/**
 * By input index: the whole previous transaction, and of witness programs the output beside it. Inputs that have their previous
 * transaction are left out. Where the source can't give it (no index of all transactions), the unspent output alone is, if it can be
 * spent by a witness. Throws `not_found` for an input whose output is nowhere, `too_large`, and `node_unavailable`.
 */
export async function previousFacts(psbt: PsbtV2, chain: Chain): Promise<Map<number, PsbtInputFacts>> {
  const wanting = [...psbt.inputs.entries()].filter(([, map]) => !map.has(INPUT.NON_WITNESS_UTXO));
  if (wanting.length > MAX_LOOKED_UP)
    throw new DomainError(
      'too_large',
      `the outputs of up to ${MAX_LOOKED_UP} inputs are fetched, and this PSBT has ${wanting.length} without`,
      { field: 'from_chain' },
    );
  const found = new Map<number, PsbtInputFacts>();
  const fetchOne = async ([index, map]: (typeof wanting)[number]): Promise<void> => {
    const outpoint = previousOutpoint(map);
    const [whole, coin] = await Promise.all([wholeOrNull(chain, outpoint.txid), chain.utxo(outpoint)]);
    if (whole === null && coin === null)
      throw new DomainError('not_found', `input ${index}: the chain source has no such unspent output`, {
        field: 'from_chain',
      });
    const script = coin === null ? null : Buffer.from(coin.scriptPubKey, 'hex');
    const witness = coin !== null && script !== null && isWitnessProgram(script);
    if (whole === null && !witness)
      throw new DomainError(
        'unavailable',
        `input ${index}: the node has no index of all transactions, and only they prove this output: give non_witness_utxo`,
        { field: 'from_chain' },
      );
    found.set(index, {
      ...(whole === null ? {} : { nonWitnessUtxo: whole }),
      ...(witness ? { witnessUtxo: { amountSats: coin.amountSats, script } } : {}),
    });
  };
  for (let from = 0; from < wanting.length; from += AT_ONCE)
    await Promise.all(wanting.slice(from, from + AT_ONCE).map(fetchOne));
  return found;
}

/** null where the source has no such transaction, or cannot know. */
async function wholeOrNull(chain: Chain, txid: Parameters<Chain['transaction']>[0]): Promise<Uint8Array | null> {
  try {
    return (await chain.transaction(txid))?.raw ?? null;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unavailable') return null;
    throw error;
  }
}
