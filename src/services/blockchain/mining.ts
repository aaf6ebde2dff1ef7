/** Blocks on demand, where the chain is ours: regtest and the simulated chain. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** A witness program of version 1 whose key is BIP341's point without known discrete logarithm. */
const NOBODYS_SCRIPT = '512050929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

export function createMining(deps: {
  chain: Pick<ChainSource, 'mine'>;
  store: Pick<Store, 'write'>;
  network: Network;
}) {
  const { chain, store, network } = deps;
  return {
    /**
     * Mines to an address, or where none is given to an output that nobody can spend, so that no balance moves unasked.
     * Throws `forbidden` off regtest, `invalid_address`, `wrong_network`.
     */
    async mine(context: RequestContext, { count, address }: { count: number; address: string | null }) {
      if (network !== 'regtest') {
        throw new DomainError(
          'forbidden',
          `blocks can be mined on regtest and the simulated chain only, not on ${network}`,
        );
      }
      const blocks = await chain.mine(count, address === null ? NOBODYS_SCRIPT : scriptOf(address, network));
      // The effect is the chain's, not the database's: it is recorded after it, so that a retry does not mine again.
      await store.write((tx) => recordRequest(tx, context, { result: blocks, target: blocks.at(-1)?.hash ?? null }));
      return blocks;
    },
  };
}

export type MiningService = ReturnType<typeof createMining>;

function scriptOf(address: string, network: Network): string {
  try {
    return decodeAddress(address, network).scriptPubKey;
  } catch (error) {
    throw error instanceof DomainError ? error.at('address') : error;
  }
}
