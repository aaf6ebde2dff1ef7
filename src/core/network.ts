import { type Network as BitcoinjsNetwork, bitcoin, regtest, testnet } from 'bitcoinjs-lib/src/networks';

export type Network = 'mainnet' | 'testnet4' | 'signet' | 'regtest';
export const NETWORKS = ['regtest', 'signet', 'testnet4', 'mainnet'] as const satisfies readonly Network[];

/** bitcoinjs-lib's parameters. Signet and testnet4 share testnet's address and key prefixes. */
export function networkParameters(network: Network): BitcoinjsNetwork {
  if (network === 'mainnet') return bitcoin;
  return network === 'regtest' ? regtest : testnet;
}

/** BIP44 coin type: 0 on mainnet, 1 elsewhere (SLIP-44). */
export function coinType(network: Network): 0 | 1 {
  return network === 'mainnet' ? 0 : 1;
}
