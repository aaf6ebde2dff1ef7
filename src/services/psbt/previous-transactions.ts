/** The outputs that a PSBT's inputs spend, as the node knows them: what an updater adds that has a chain. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../core/errors.ts';
import type { Outpoint, Txid } from '../../core/outpoint.ts';
import type { PsbtInputFacts } from '../../core/psbt/construction/psbt-draft.ts';
import { isWitnessProgram } from '../../core/relay-policy/standard-scripts.ts';
import { AT_ONCE } from './against-chain.ts';

type Chain = Pick<ChainSource, 'transaction' | 'utxo'>;

/** Whole transactions that are added to one PSBT: with them it must still fit into a request, in base64. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Of the inputs that have no previous transaction yet, by index: that whole transaction, and of witness programs the output beside it.
 * Where the source can't give it (no index of all transactions), or all of them together are too long, a witness program gets its unspent
 * output alone. Throws `not_found` for an input whose output is nowhere, `no_index` where one that
 * is not spent by a witness cannot be proved, `too_large`, and `node_unavailable`.
 */
export async function previousFacts(
  wanting: readonly { readonly index: number; readonly outpoint: Outpoint }[],
  chain: Chain,
): Promise<Map<number, PsbtInputFacts>> {
  const whole = createWholeTransactions(chain);
  let bytes = 0;
  const found = new Map<number, PsbtInputFacts>();
  for (let from = 0; from < wanting.length; from += AT_ONCE) {
    const some = wanting.slice(from, from + AT_ONCE);
    const known = await Promise.all(
      some.map(async ({ index, outpoint }) => {
        const [raw, coin] = await Promise.all([whole(outpoint.txid), chain.utxo(outpoint)]);
        return { index, raw, coin };
      }),
    );
    for (const { index, raw, coin } of known) {
      if (raw === null && coin === null) throw nowhere(index);
      const script = coin === null ? null : Buffer.from(coin.scriptPubKey, 'hex');
      const byWitness = coin !== null && script !== null && isWitnessProgram(script);
      const fits = raw !== null && bytes + raw.length <= MAX_BYTES;
      if (!fits && !byWitness) throw raw === null ? unproved(index) : tooLong();
      if (fits) bytes += raw.length;
      found.set(index, {
        ...(fits ? { nonWitnessUtxo: raw } : {}),
        ...(byWitness ? { witnessUtxo: { amountSats: coin.amountSats, script } } : {}),
      });
    }
  }
  return found;
}

/** Each asked for once; null where the source has no such transaction, or cannot know. */
function createWholeTransactions(chain: Chain): (txid: Txid) => Promise<Uint8Array | null> {
  const asked = new Map<Txid, Promise<Uint8Array | null>>();
  const ask = async (txid: Txid): Promise<Uint8Array | null> => {
    try {
      return (await chain.transaction(txid))?.raw ?? null;
    } catch (error) {
      if (isWithoutAnswer(error)) return null;
      throw error;
    }
  };
  return (txid) => {
    const known = asked.get(txid) ?? ask(txid);
    asked.set(txid, known);
    return known;
  };
}

const nowhere = (index: number): DomainError =>
  new DomainError('not_found', `input ${index}: the chain source has no such unspent output`, { field: 'from_chain' });

const unproved = (index: number): DomainError =>
  new DomainError(
    'no_index',
    `input ${index}: the node has no index of all transactions (txindex=1), and only they prove this output: give non_witness_utxo`,
    { field: 'from_chain' },
  );

const tooLong = (): DomainError =>
  new DomainError(
    'too_large',
    `the previous transactions have more than ${MAX_BYTES} bytes together, and inputs from before segwit need theirs`,
    { field: 'from_chain' },
  );
