/** Makes a report of reserves (docs/compliance.md), a part at a time. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { formatBtc } from '../../core/amount.ts';
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { customerProof, secretsOf } from '../../core/reserves/liabilities.ts';
import type { FundsCoin } from '../../core/reserves/prove-funds.ts';
import {
  RESERVES_REPORT,
  type ReservesReport,
  type ReservesStatement,
  reservesMessage,
} from '../../core/reserves/reserves-files.ts';
import type { ReservesJobs, SeededLiabilities } from '../../core/reserves/reserves-jobs.ts';
import { packedBalance, packedPath } from '../../core/reserves/sum-tree.ts';
import type { LongComputing } from '../../engines/computing/computing.ts';
import type { BlockRecord, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import { type Gate, type Passed, refuseUnapproved, speaking } from '../policies/gate.ts';
import type { Asker } from '../policies/spending-of.ts';
import { type OpenOwnAccount, signingUnavailable } from '../wallets/wallet-keys.ts';
import {
  coinsOf,
  type NotProven,
  partsOf,
  type WalletFunds,
  walletsOf,
  whyNotSigned,
  withPrevious,
} from './wallet-funds.ts';

/** The block's own among them: a few hours of work. */
const HEADERS = 24;
/** Customers' proofs that are written in one turn: a few milliseconds. */
const LINES = 50;
/** Wallets that a request without `wallets` asks the rules about. */
const MOST_ASKED = 100;

export interface ReservesRequest {
  readonly accountId: AccountId;
  /** As its rights are at the moment. */
  readonly asker: () => Promise<Asker>;
  /** null: all of the account. */
  readonly wallets: readonly WalletId[] | null;
  readonly liabilities: SeededLiabilities;
  readonly signal: AbortSignal;
}

export function createProveReserves(deps: {
  read: Repositories;
  chain: Pick<ChainSource, 'blockHashesAt' | 'blockHashAt' | 'headerRecords' | 'transactionDetails'>;
  gate: Pick<Gate, 'decide'>;
  openOwnAccount: OpenOwnAccount;
  computing: Pick<LongComputing<ReservesJobs>, 'runPart'>;
  network: Network;
  clock: () => number;
}) {
  const { read, chain, gate, computing, network, clock } = deps;

  /** The rules for messages of the wallet. Throws `policy_denied`, also where they want approvals: reports do not wait for them. */
  async function passes(asker: ReservesRequest['asker'], wallet: WalletRecord): Promise<Passed> {
    if ((await read.accounts.find(wallet.accountId))?.frozenAt !== null)
      throw new DomainError('forbidden', 'the account is frozen: nothing is signed for it');
    const passed = await gate.decide(await asker(), speaking('message', wallet));
    refuseUnapproved(passed);
    return passed;
  }

  async function whyNot(asker: ReservesRequest['asker'], wallet: WalletRecord): Promise<string | null> {
    const reason = whyNotSigned(wallet);
    if (reason !== null) return reason;
    try {
      await passes(asker, wallet);
      return null;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'policy_denied') return error.message;
      throw error;
    }
  }

  /**
   * What is asked for is refused at once where the rules deny it now: of a wallet that is named, otherwise of all that could sign, of up to
   * MOST_ASKED. They are asked again before each signature. Throws `policy_denied`.
   */
  async function refuseDenied({ accountId, asker, wallets }: Omit<ReservesRequest, 'liabilities' | 'signal'>) {
    let denied: DomainError | null = null;
    let asked = 0;
    for await (const wallet of walletsOf(read, accountId, wallets)) {
      if (whyNotSigned(wallet) !== null) continue;
      if (wallets === null && ++asked > MOST_ASKED) return;
      try {
        await passes(asker, wallet);
        if (wallets === null) return;
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'policy_denied')) throw error;
        if (wallets !== null) throw error.at(`wallets[${wallets.indexOf(wallet.walletId)}]`);
        denied ??= error;
      }
    }
    if (denied !== null) throw denied;
  }

  /** What is proven, and what is not and why. */
  async function sorted({ accountId, asker, wallets, signal }: ReservesRequest, { height }: BlockRecord) {
    const [proven, not]: [WalletFunds[], NotProven[]] = [[], []];
    let seen = 0;
    for await (const wallet of walletsOf(read, accountId, wallets)) {
      signal.throwIfAborted();
      const found = await coinsOf(read, wallet, height, seen);
      seen += found.length;
      if (found.length === 0) continue;
      const bare = found.map((coin) => ({ ...coin, previous: null }));
      const reason = await whyNot(asker, wallet);
      const coins = reason === null ? await withPrevious(wallet, found, chain) : null;
      if (coins !== null) proven.push({ wallet, coins });
      else
        not.push({
          wallet,
          coins: bare,
          reason: reason ?? 'the chain source has not kept the transactions that pay its coins',
        });
    }
    return { proven, not };
  }

  async function headersUpTo({ height, hash }: BlockRecord): Promise<string[]> {
    const first = Math.max(0, height - HEADERS + 1);
    const heights = Array.from({ length: height - first + 1 }, (_, at) => first + at);
    const hashes = await chain.blockHashesAt(heights);
    const known = hashes.at(-1) === hash ? hashes.flatMap((one) => one ?? []) : [];
    const headers = (await chain.headerRecords(known)).flatMap((one) => (one === null ? [] : [hex(one.header)]));
    if (headers.length === heights.length) return headers;
    throw new DomainError('unavailable', 'the chain source does not have the block that the service follows');
  }

  async function sign(
    { accountId, asker, signal }: ReservesRequest,
    wallet: WalletRecord,
    message: string,
    coins: readonly FundsCoin[],
  ): Promise<string> {
    const account = await deps.openOwnAccount(wallet, await passes(asker, wallet));
    if (account === null) throw signingUnavailable(wallet);
    const descriptors = [wallet.externalDescriptor, wallet.internalDescriptor] as const;
    const given = { descriptors, account, message, coins };
    return (await computing.runPart('reserves.prove', given, { accountId, signal, transfer: [account.key] })).made;
  }

  /** `report` and `customers` of the file in pieces of a few hundred lines, with what each has gone through. Throws `policy_denied` where a rule has come to deny it meanwhile. */
  async function* prove(request: ReservesRequest): AsyncGenerator<{ text: string; passed: number }> {
    const { accountId, liabilities: seeded, signal } = request;
    const block = await read.ledger.tip();
    if (block === null) throw new DomainError('unavailable', 'no block is known yet');
    const headers = await headersUpTo(block);
    const { made: planted } = await computing.runPart('reserves.plant', seeded, { accountId, signal });
    const { proven, not } = await sorted(request, block);
    const statement: ReservesStatement = {
      ...{ account_id: accountId, network, block: { height: block.height, hash: block.hash } },
      ...{ time: new Date(clock()).toISOString(), liabilities: planted.said },
    };
    const parts = proven.flatMap((funds) => partsOf(funds, network).map((coins) => ({ wallet: funds.wallet, coins })));
    const head: Omit<ReservesReport, 'proofs'> = {
      ...{ type: RESERVES_REPORT, version: 1, ...statement },
      reserves: figuresOf(
        parts.flatMap(({ coins }) => coins),
        'total',
      ),
      not_proven: not.map(({ wallet, reason, coins }) => ({
        ...{ wallet_id: wallet.walletId, reason, ...figuresOf(coins, 'amount') },
      })),
      headers,
    };
    yield { text: `{"report":\n${JSON.stringify(head).slice(0, -1)},"proofs":[`, passed: 0 };
    for (const [at, { wallet, coins }] of parts.entries()) {
      const proof: ReservesReport['proofs'][number] = {
        ...{ wallet_id: wallet.walletId, address: addressOfScript(coins[0]!.scriptPubKey, network) },
        ...figuresOf(coins, 'amount'),
        signature: await sign(request, wallet, reservesMessage(statement, at, parts.length), coins),
      };
      yield { text: `${at === 0 ? '' : ','}\n${JSON.stringify(proof)}`, passed: coins.length };
    }
    for (const { wallet } of proven) await passes(request.asker, wallet);
    if ((await chain.blockHashAt(block.height)) !== block.hash)
      throw new DomainError('unavailable', 'the block of the report left the chain meanwhile');
    yield { text: ']},\n"customers":[', passed: 0 };
    const { tree, customerIds } = planted;
    const seed = Buffer.from(seeded.seed, 'hex');
    let [lines, index] = ['', 0];
    for (let at = 0; at < customerIds.length; index++) {
      const end = customerIds.indexOf('\n', at);
      const customerId = customerIds.slice(at, end < 0 ? undefined : end);
      at = end < 0 ? customerIds.length : end + 1;
      const leaf = {
        index,
        customerId,
        balanceSats: packedBalance(tree, index),
        salt: secretsOf(customerId, seed).salt,
      };
      lines += `${index === 0 ? '' : ','}\n${JSON.stringify(customerProof(leaf, packedPath(tree, index)))}`;
      if ((index + 1) % LINES > 0) continue;
      yield { text: lines, passed: LINES };
      lines = '';
    }
    yield { text: lines, passed: index % LINES };
    yield { text: '\n]}\n', passed: 0 };
  }

  return { prove, refuseDenied };
}

const figuresOf = <Name extends string>(coins: readonly FundsCoin[], name: Name) =>
  ({ coins: coins.length, [name]: formatBtc(coins.reduce((sum, coin) => sum + coin.amountSats, 0n)) }) as {
    coins: number;
  } & Record<Name, string>;
