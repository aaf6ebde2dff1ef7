/** What metrics should say, computed from the records themselves. */
import { expect } from 'vitest';
import type { AccountId, WalletId } from '../../src/core/ids.ts';
import { type MetricSource, SOURCES } from '../../src/core/metrics/metric-table.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import type { Store } from '../../src/store/store.ts';

/** A record, as it counts. */
export interface Fact {
  readonly source: MetricSource;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly walletId: string;
  readonly type: string;
  readonly status: string;
  /** 1, unless said. */
  readonly items?: bigint;
  readonly amountSats: bigint;
  readonly feeSats: bigint;
}

const END = 2 ** 40;

/** Of coins that these transactions made: each arrives with its block, and goes with that which spends it. */
export async function balanceFacts(
  { read }: Store,
  { accountId, txids }: { accountId: AccountId; txids: Iterable<Txid> },
  timeOf: (height: number, txid: Txid) => number | Promise<number>,
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const txid of txids)
    for (const coin of await read.ledger.coinsOf(txid)) {
      if (coin.accountId !== accountId || !coin.live || coin.height === null) continue;
      const of = { source: 'balance', walletId: coin.walletId, type: '', status: '', feeSats: 0n } as const;
      const time = await timeOf(coin.height, txid);
      facts.push({ ...of, time, amountSats: coin.amountSats });
      if (coin.spentHeight === null) continue;
      const spent = await timeOf(coin.spentHeight, coin.spentBy as Txid);
      facts.push({ ...of, time: Math.max(time, spent), items: -1n, amountSats: -coin.amountSats });
    }
  return facts;
}

/** What is kept of the account, and of each of the wallets, is in each bucket of each length what these facts come to, and there is nothing else. */
export async function expectMetrics(
  store: Store,
  accountId: AccountId,
  facts: readonly Fact[],
  wallets: readonly WalletId[],
): Promise<void> {
  for (const source of SOURCES) {
    for (const minutes of [1, 15, 60, 1_440, ...(source === 'balance' ? [92_160] : [])]) {
      const bucketOf = ({ time }: Fact): number => Math.floor(time / 60_000 / minutes) * minutes;
      const buckets = [...new Set(facts.map(bucketOf))].sort((a, b) => a - b);
      const pieces = buckets.map((first, at) => ({ at, minutes, first, end: first + minutes, sign: 1 as const }));
      const expected = new Map<string, bigint[]>();
      for (const fact of facts.filter((one) => one.source === source)) {
        for (const walletId of new Set(['', ...wallets.filter((one) => one === fact.walletId)]))
          for (const at of [buckets.indexOf(bucketOf(fact)), -1]) {
            const key = `${at} ${walletId} ${fact.type} ${fact.status}`;
            const [items = 0n, amount = 0n, fee = 0n] = expected.get(key) ?? [];
            expected.set(key, [items + (fact.items ?? 1n), amount + fact.amountSats, fee + fact.feeSats]);
          }
      }
      const found = await store.read.metricSums.of(accountId, {
        ...{ source, wallets: ['' as WalletId, ...wallets] },
        pieces: [...pieces, { at: -1, minutes, first: 0, end: END, sign: 1 }],
      });
      const kept = new Map(
        found.map((one) => [
          `${one.at} ${one.ofId} ${one.type} ${one.status}`,
          [one.items, one.amountSats, one.feeSats],
        ]),
      );
      expect(new Map([...kept].sort()), `${source}, ${minutes} minutes`).toEqual(
        new Map([...expected].filter(([, sums]) => sums.some((sum) => sum !== 0n)).sort()),
      );
    }
  }
}
