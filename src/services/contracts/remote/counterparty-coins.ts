/** What the chain says of the coins that the other side brings, asked before anything of ours is signed. */
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { ContractParty } from '../../../core/dlc/dlc-messages.ts';
import { type FundingCoin, fundingCoins, type Side } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError, isWithoutAnswer } from '../../../core/errors.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { ContractCheck } from '../contract-service.ts';

/** Questions to the source that are open at a time. */
const AT_A_TIME = 8;

export function createCounterpartyCoins({ chain }: { chain: Pick<ChainSource, 'utxo'> }) {
  async function look(side: Side, coin: FundingCoin): Promise<ContractCheck> {
    const about = { check: 'funding_input_unspent', message: side, index: coin.position } as const;
    try {
      const output = await chain.utxo({ txid: coin.txid, vout: coin.vout });
      const reason =
        output === null
          ? `${outpointKey(coin)} is spent, or not known to the chain`
          : output.amountSats !== coin.amountSats || output.scriptPubKey !== coin.scriptPubKey
            ? `${outpointKey(coin)} is not what its previous transaction says`
            : null;
      return { ...about, verdict: reason === null ? 'passed' : 'failed', reason };
    } catch (error) {
      if (!isWithoutAnswer(error)) throw error;
      return { ...about, verdict: 'skipped', reason: error.message };
    }
  }

  async function check(side: Side, party: ContractParty): Promise<ContractCheck[]> {
    const coins = fundingCoins(side, party);
    const checks: ContractCheck[] = [];
    for (let from = 0; from < coins.length; from += AT_A_TIME) {
      const some = coins.slice(from, from + AT_A_TIME);
      checks.push(...(await Promise.all(some.map((coin) => look(side, coin)))));
    }
    return checks;
  }

  return {
    /** One check for each input; skipped where the source cannot say. */
    check,
    /** Throws `contract_refused` for the first that is not there, or spent; of `field`, by default the message that the caller sent. */
    async require(side: Side, party: ContractParty, field: string = 'message') {
      const failed = (await check(side, party)).find(({ verdict }) => verdict === 'failed');
      if (failed === undefined) return;
      throw new DomainError(
        'contract_refused',
        `${failed.check}: the ${side}'s funding input ${failed.index}: ${failed.reason}`,
        { field },
      );
    },
  };
}

export type CounterpartyCoins = ReturnType<typeof createCounterpartyCoins>;
