/** Which coins of an account's wallets a report can prove, and why not the others. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { coinsPerProof, type FundsCoin } from '../../core/reserves/prove-funds.ts';
import type { CoinRecord, Page, PageRequest, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { canSign, signingUnavailable } from '../wallets/wallet-keys.ts';

/** Of all wallets together. */
const MAX_COINS = 20_000;
const PAGE = 100;
const AT_ONCE = 16;

export interface WalletFunds {
  readonly wallet: WalletRecord;
  readonly coins: readonly FundsCoin[];
}
export interface NotProven {
  readonly wallet: WalletRecord;
  readonly reason: string;
  readonly coins: readonly FundsCoin[];
}
type Read = Pick<Repositories, 'wallets' | 'coins'>;

/** The account's wallets, or those that are named. */
export async function* walletsOf(read: Read, accountId: AccountId, named: readonly WalletId[] | null) {
  if (named === null) yield* each((page) => read.wallets.list(accountId, {}, page));
  else yield* await read.wallets.findByIds(accountId, named);
}

/** Coins in blocks up to `height` that no transaction of ours spends. Throws `too_large` where there are more than 20,000. */
export async function coinsOf(
  read: Read,
  wallet: WalletRecord,
  height: number,
  before: number,
): Promise<readonly CoinRecord[]> {
  const { accountId, walletId } = wallet;
  const coins = await gathered(
    (page) => read.coins.list(accountId, walletId, { confirmed: true }, page),
    MAX_COINS - before,
  );
  return coins.filter((coin) => coin.spentBy === null && coin.height !== null && coin.height <= height);
}

/** Why the service cannot sign for them; null where it can. */
export const whyNotSigned = (wallet: WalletRecord): string | null =>
  canSign(wallet) ? null : signingUnavailable(wallet).message;

/** Those of one proof together. */
export function partsOf({ wallet, coins }: WalletFunds, network: Network): FundsCoin[][] {
  const size = coinsPerProof(wallet.externalDescriptor, network);
  return Array.from({ length: Math.ceil(coins.length / size) }, (_, at) => coins.slice(at * size, (at + 1) * size));
}

/** As proofs name them. Signatures of legacy wallets need the transactions that pay the coins; null where the source has them no more. */
export async function withPrevious(
  wallet: WalletRecord,
  coins: readonly CoinRecord[],
  chain: Pick<ChainSource, 'blockHashAt' | 'transactionDetails'>,
): Promise<FundsCoin[] | null> {
  const made: FundsCoin[] = [];
  for (let from = 0; from < coins.length; from += AT_ONCE) {
    const some = coins.slice(from, from + AT_ONCE).map(async (coin) => {
      const { txid, vout, amountSats, scriptPubKey, change, index } = coin;
      const previous = wallet.type === 'legacy' ? await previousOf(coin, chain) : null;
      if (wallet.type === 'legacy' && previous === null) return null;
      return { txid, vout, amountSats, scriptPubKey, change, index, previous };
    });
    for (const one of await Promise.all(some)) {
      if (one === null) return null;
      made.push(one);
    }
  }
  return made;
}

async function previousOf(coin: CoinRecord, chain: Parameters<typeof withPrevious>[2]): Promise<Uint8Array | null> {
  try {
    const hash = await chain.blockHashAt(coin.height as number);
    return hash === null ? null : ((await chain.transactionDetails(coin.txid, hash))?.raw ?? null);
  } catch (error) {
    if (isWithoutAnswer(error)) return null;
    throw error;
  }
}

async function gathered<T>(read: ReadPage<T>, most: number): Promise<T[]> {
  const all: T[] = [];
  for await (const one of each(read)) {
    all.push(one);
    if (all.length > most)
      throw new DomainError('too_large', `a report proves at most ${MAX_COINS} coins: name some of the wallets`, {
        field: 'wallets',
      });
  }
  return all;
}

type ReadPage<T> = (page: PageRequest) => Promise<Page<T>>;
async function* each<T>(read: ReadPage<T>): AsyncGenerator<T> {
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = await read({ limit: PAGE, offset: 0, ...(cursor !== null && { cursor }) });
    yield* page.data;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
