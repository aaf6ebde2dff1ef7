/**
 * The wallet that proposals spend, and nothing else: the gate denies all other spending of it (services/policies/gate.ts). One that was the
 * treasury before stays so guarded: what is left in it is spent by proposals made when it was the treasury.
 */
import { parseBtc } from '../../core/amount.ts';
import { DomainError } from '../../core/errors.ts';
import { executionWindow } from '../../core/governance/execution-window.ts';
import type { AccountId, ProposalId, WalletId } from '../../core/ids.ts';
import type { Balance, WalletRecord } from '../../store/records.ts';
import type { DaoRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';
import { isAllowed } from '../approvals/asked-by.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { followedHeight, NO_BALANCE, requireWallet } from '../wallets/wallet-dependencies.ts';
import { canSign, signingUnavailable } from '../wallets/wallet-keys.ts';
import { daoTime } from './dao-time.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import { tell } from './governance-events.ts';

const MOST_TREASURIES = 100;
const SHOWN_MOVEMENTS = 20;
const SHOWN_ADDRESSES = 5;
const MOST_COMMITTED = 200;
/** The longest that voting, a timelock and a window can take together. */
const LONGEST_MS = 3 * 366 * 86_400_000;

interface Movement extends ListedTransaction {
  /** null: it is of none. */
  readonly proposalId: ProposalId | null;
}
type ListedTransaction = Awaited<ReturnType<Repositories['transactions']['list']>>['data'][number];

export interface TreasuryView {
  /** null: none is set. */
  readonly walletId: WalletId | null;
  readonly balance: Balance;
  /** What passed proposals that can still be executed pay, without fees: of the newest 200 of them. */
  readonly committedSats: bigint;
  readonly movements: readonly Movement[];
  readonly addresses: readonly string[];
}

const treasuriesOf = async (tx: Pick<Repositories, 'enterpriseConfig'>, accountId: AccountId) =>
  (await tx.enterpriseConfig.find(accountId))?.treasuries ?? [];

export function createTreasury({ store: { read }, clock, daos }: GovernanceDeps & { daos: Daos }) {
  const current = async (tx: Pick<Repositories, 'enterpriseConfig'>, accountId: AccountId): Promise<WalletId | null> =>
    (await treasuriesOf(tx, accountId)).at(-1) ?? null;

  const conflict = (message: string, field: string) => new DomainError('state_conflict', message, { field });

  async function assertKeysAreHereAlone(tx: Repositories, wallet: WalletRecord, field: string): Promise<void> {
    if (!canSign(wallet)) throw signingUnavailable(wallet).at(field);
    const { accountId, walletId } = wallet;
    const first = await tx.scripts.find(accountId, walletId, false, 0);
    const other = first && (await tx.scripts.otherHolder(accountId, walletId, first.scriptPubKey, true));
    if (other) throw conflict(`wallet ${other} has the same keys, and could spend its coins`, field);
  }

  /** Throws `not_found`, `signing_unavailable`, and `state_conflict` where something else has a claim on it. */
  async function assertFree(tx: Repositories, accountId: AccountId, walletId: WalletId, field: string): Promise<void> {
    const wallet = await tx.wallets.find(accountId, walletId);
    if (wallet === null) throw new DomainError('not_found', `there is no wallet ${walletId}`, { field });
    const before = await treasuriesOf(tx, accountId);
    if (before.at(-1) === walletId) throw conflict('this wallet is the treasury already', field);
    // Since it became one, nothing but proposals has had a claim on it.
    if (before.includes(walletId)) return;
    if (before.length >= MOST_TREASURIES) throw conflict(`a DAO has at most ${MOST_TREASURIES} treasuries`, field);
    if (wallet.archivedAt !== null) throw conflict('this wallet is archived: bring it back first', field);
    await assertKeysAreHereAlone(tx, wallet, field);
    const approval = await tx.treasuries.waiting(accountId, walletId);
    if (approval !== null)
      throw conflict(`${approval} waits for approval, or to be carried out, on this wallet: end it first`, field);
    const contract = await tx.treasuries.inContract(accountId, walletId);
    if (contract !== null) throw conflict(`contract ${contract} has a side in this wallet: wait for its end`, field);
  }

  /** In a job that has the DAO's row. Throws as assertFree does, and `forbidden` where whoever asks may not change wallets. */
  async function appoint(
    tx: Repositories,
    { accountId }: DaoRecord,
    { walletId, field }: { walletId: WalletId; field: string },
    { credential }: Pick<RequestContext, 'credential'>,
  ) {
    const scopes = ['wallets:write', 'transactions:write'] as const;
    if (!scopes.every((scope) => isAllowed(credential, { scope, role: 'admin' })))
      throw new DomainError('forbidden', `a wallet is made the treasury with the scopes ${scopes.join(' and ')}, too`);
    const at = clock();
    const { version, treasuries } = await tx.enterpriseConfig.lockOrMake(accountId, at);
    await assertFree(tx, accountId, walletId, field);
    const next = [...treasuries.filter((one) => one !== walletId), walletId];
    await tx.enterpriseConfig.update(accountId, { version: version + 1, treasuries: next, updatedAt: at });
    await tell(tx, accountId, { event: 'treasury_changed', wallet_id: walletId });
    const before = treasuries.at(-1);
    return { before: before === undefined ? null : { wallet_id: before }, after: { wallet_id: walletId } };
  }

  async function addressesOf(tx: Repositories, accountId: AccountId, walletId: WalletId): Promise<string[]> {
    const page = { limit: SHOWN_ADDRESSES, offset: 0 };
    const given = await tx.scripts.list(accountId, walletId, { change: false, reservedOnly: true }, page);
    const first = given.total > 0 ? null : await tx.scripts.find(accountId, walletId, false, 0);
    return [...given.data, ...(first === null ? [] : [first])].map(({ address }) => address);
  }

  async function committed(tx: Repositories, dao: DaoRecord, walletId: WalletId): Promise<bigint> {
    const { accountId } = dao;
    const now = await daoTime(tx, dao);
    const found = await tx.executions.toPay(accountId, 'treasury_spend', now - LONGEST_MS, MOST_COMMITTED);
    const open = found.filter(
      ({ parameters, settings, expiresAt, waits }) =>
        parameters.wallet_id === walletId && (waits || executionWindow(expiresAt, settings).until > now),
    );
    const recipients = open.flatMap(({ parameters }) => parameters.recipients as readonly { amount: string }[]);
    return recipients.reduce((sum, { amount }) => sum + parseBtc(amount), 0n);
  }

  async function view(tx: Repositories, dao: DaoRecord, walletId: WalletId | null): Promise<TreasuryView> {
    const { accountId } = dao;
    if (walletId === null) {
      return { walletId, balance: NO_BALANCE, committedSats: 0n, movements: [], addresses: [] };
    }
    await requireWallet(tx, accountId, walletId);
    const balance = await tx.coins.balance(accountId, walletId, await followedHeight(tx));
    const page = { limit: SHOWN_MOVEMENTS, offset: 0 };
    const { data } = await tx.transactions.list(accountId, { walletId }, page);
    const proposals = await tx.executions.proposalsOf(
      accountId,
      data.map(({ unsignedTxid }) => unsignedTxid),
    );
    const movements = data.map((one) => ({ ...one, proposalId: proposals.get(one.unsignedTxid) ?? null }));
    const committedSats = await committed(tx, dao, walletId);
    return { walletId, balance, committedSats, movements, addresses: await addressesOf(tx, accountId, walletId) };
  }

  return {
    current,
    assertFree,
    appoint,
    /** Confirmed, in satoshis; 0 where none is set. */
    async balanceSats(accountId: AccountId): Promise<bigint> {
      const walletId = await current(read, accountId);
      if (walletId === null) return 0n;
      return (await read.coins.balance(accountId, walletId, await followedHeight(read))).confirmedSats;
    },

    async get({ accountId }: RequestContext): Promise<TreasuryView> {
      return view(read, await daos.of(accountId), await current(read, accountId));
    },

    /** The first one. Throws as `appoint` does, and `state_conflict` where there is one. */
    put: (walletId: WalletId, context: RequestContext): Promise<TreasuryView> =>
      daos.change(context, async (tx, dao) => {
        const set = await current(tx, dao.accountId);
        if (set !== null)
          throw conflict(
            `wallet ${set} is the treasury: a proposal of type treasury_change makes another one`,
            'wallet_id',
          );
        const change = await appoint(tx, dao, { walletId, field: 'wallet_id' }, context);
        return { result: await view(tx, dao, walletId), target: walletId, change };
      }),
  };
}
export type Treasury = ReturnType<typeof createTreasury>;
