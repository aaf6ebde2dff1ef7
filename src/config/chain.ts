/** The chain and where its blocks come from. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { NETWORKS } from '../core/network.ts';
import { commaList, decodable, isZmq, oneOf, url } from './value-kinds.ts';

export const CHAIN_VARIABLES = {
  BITCOIN_NETWORK: oneOf(NETWORKS).default('regtest'),
  CHAIN: oneOf(['auto', 'bitcoind', 'esplora', 'simulated']).default('auto'),
  BITCOIN_RPC_URL: url(['http', 'https'], 'http://user:password@127.0.0.1:8332').optional(),
  BITCOIN_RPC_COOKIE_FILE: z.string().optional(),
  BITCOIN_ZMQ_URL: commaList(
    isZmq,
    'must be one or several URLs, separated by commas, such as tcp://127.0.0.1:28332',
  ).optional(),
  ESPLORA_URL: url(['http', 'https'], 'https://mempool.example.com/api').optional(),
  CHAIN_WITNESS_URL: url(['http', 'https'], 'https://mempool.example.com/api').optional(),
  CHAIN_WITNESS: oneOf(['esplora', 'bitcoind']).default('esplora'),
};
type Variables = z.output<z.ZodObject<typeof CHAIN_VARIABLES>>;

/** What each variable allows by itself but not together with the others. */
export function* chainProblems(variables: Variables): Generator<string> {
  const { BITCOIN_NETWORK: network, CHAIN: chain, BITCOIN_RPC_URL: rpc, ESPLORA_URL: esplora } = variables;
  if (chain === 'bitcoind' && rpc === undefined) {
    yield 'BITCOIN_RPC_URL must be given with CHAIN=bitcoind, such as http://user:password@127.0.0.1:8332';
  }
  if (chain === 'esplora' && esplora === undefined) {
    yield 'ESPLORA_URL must be given with CHAIN=esplora, such as https://mempool.example.com/api';
  }
  if (chain === 'simulated' && network !== 'regtest') {
    yield `CHAIN must be bitcoind or esplora on ${network}: the simulated chain is for regtest only`;
  }
  if (chain === 'auto' && rpc !== undefined && esplora !== undefined) {
    yield 'CHAIN must be bitcoind or esplora where both BITCOIN_RPC_URL and ESPLORA_URL are given';
  }
  if (chain === 'auto' && network !== 'regtest' && rpc === undefined && esplora === undefined) {
    yield `BITCOIN_RPC_URL must be given on ${network} (or ESPLORA_URL): only regtest finds a node by itself`;
  }
  if (rpc !== undefined && !decodable(new URL(rpc).username + new URL(rpc).password)) {
    yield 'BITCOIN_RPC_URL must have its user and password percent-encoded, such as p%40ss for p@ss';
  }
  const witness = new URL(variables.CHAIN_WITNESS_URL ?? 'x:');
  if (!decodable(witness.username + witness.password)) {
    yield 'CHAIN_WITNESS_URL must have its user and password percent-encoded, such as p%40ss for p@ss';
  }
}

/** `url` is without userinfo, so that it may be shown; `userinfo` is "user:password", percent-encoded as it was given. */
export function bitcoinRpc(variables: Variables) {
  if (variables.BITCOIN_RPC_URL === undefined) return null;
  const bare = new URL(variables.BITCOIN_RPC_URL);
  const userinfo = `${bare.username}:${bare.password}`;
  bare.username = '';
  bare.password = '';
  return {
    url: bare.href,
    userinfo: userinfo === ':' ? null : userinfo,
    cookieFile: variables.BITCOIN_RPC_COOKIE_FILE === undefined ? null : resolve(variables.BITCOIN_RPC_COOKIE_FILE),
  };
}
