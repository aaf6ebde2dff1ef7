/** Reports of reserves of a wallet made from a seed, as the service writes them, and coins to prove. */
import { formatBtc } from '../../src/core/amount.ts';
import { meetsTarget, parseHeader, serializeHeader } from '../../src/core/blocks/header.ts';
import type { BlockHash } from '../../src/core/outpoint.ts';
import { customerProof, type Liability, leavesOf } from '../../src/core/reserves/liabilities.ts';
import { type FundsCoin, proveFunds } from '../../src/core/reserves/prove-funds.ts';
import {
  type ReservesReport,
  type ReservesStatement,
  reservesMessage,
} from '../../src/core/reserves/reserves-files.ts';
import { growTree, leafNode, pathOf, rootOfTop, topOf } from '../../src/core/reserves/sum-tree.ts';
import { openBranch } from '../../src/core/wallets/descriptor-branch.ts';
import { accountKey, accountPath, type KeyedWalletType } from '../../src/core/wallets/hd-key.ts';

const network = 'regtest';
const tools = { network, randomBytes: (size: number) => Buffer.alloc(size, 5) } as const;

export function fundsWallet(
  type: Extract<KeyedWalletType, 'segwit' | 'taproot' | 'nested-segwit' | 'legacy'>,
  seed = 7,
) {
  const made = accountKey(Buffer.alloc(32, seed), accountPath(type, network), network);
  const xpub = `${made.origin}${made.node.neutered().toBase58()}/0/*`;
  const descriptor = {
    ...{ segwit: `wpkh(${xpub})`, taproot: `tr(${xpub})` },
    ...{ 'nested-segwit': `sh(wpkh(${xpub}))`, legacy: `pkh(${xpub})` },
  }[type];
  const branch = openBranch(descriptor, network);
  const key = Uint8Array.from([...made.node.privateKey!, ...made.node.chainCode]);
  const path = accountPath(type, network).map((step) => step + 0x8000_0000);
  return {
    descriptor,
    at: branch.scriptAt,
    /** The key of an index. */
    wif: (index: number) => made.node.derive(0).derive(index).toWIF(),
    prove: (message: string, coins: readonly FundsCoin[]) =>
      proveFunds(
        {
          descriptors: [descriptor, null],
          account: { fingerprint: made.masterFingerprint, path, key: Uint8Array.from(key) },
          ...{ message, coins },
        },
        tools,
      ),
  };
}
export type FundsWallet = ReturnType<typeof fundsWallet>;

export const liabilityTree = (liabilities: readonly Liability[], seed = 9) => {
  const leaves = leavesOf(liabilities, Buffer.alloc(32, seed));
  const tree = growTree(leaves.map(leafNode));
  const { root, totalSats, count } = rootOfTop(topOf(tree), leaves.length);
  return {
    said: { root: root.toString('hex'), total: formatBtc(totalSats), customers: count },
    proofOf(customerId: string) {
      const leaf = leaves.find((one) => one.customerId === customerId)!;
      return customerProof(leaf, pathOf(tree, leaf.index));
    },
  };
};

/** `parts`: the coins of each proof. */
export function reservesOf(
  statement: ReservesStatement,
  headers: readonly string[],
  wallet: FundsWallet,
  parts: readonly (readonly FundsCoin[])[],
): ReservesReport {
  const sum = (coins: readonly FundsCoin[]) => formatBtc(coins.reduce((all, coin) => all + coin.amountSats, 0n));
  return {
    ...{ type: 'ashlar-proof-of-reserves', version: 1, ...statement },
    reserves: { total: sum(parts.flat()), coins: parts.flat().length },
    proofs: parts.map((coins, at) => ({
      wallet_id: 'wal_1',
      address: wallet.at(coins[0]!.index).address,
      ...{ coins: coins.length, amount: sum(coins) },
      signature: wallet.prove(reservesMessage(statement, at, parts.length), coins),
    })),
    ...{ not_proven: [], headers: [...headers] },
  };
}

/** Headers of regtest, each with its work; hex. */
export function minedHeaders(count: number) {
  const headers: string[] = [];
  let prevHash = '11'.repeat(32) as BlockHash;
  for (let at = 0; at < count; at++) {
    const base = { version: 4, prevHash, merkleRoot: '22'.repeat(32), time: 1_700_000_000 + at, bits: 0x207fffff };
    let header = parseHeader(serializeHeader({ ...base, nonce: 0 }));
    while (!meetsTarget(header)) header = parseHeader(serializeHeader({ ...header, nonce: header.nonce + 1 }));
    headers.push(serializeHeader(header).toString('hex'));
    prevHash = header.hash;
  }
  return { headers, hash: prevHash };
}
