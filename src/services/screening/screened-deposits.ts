/** Deposits that are frozen for a screening list: shown, and released by requests; and earlier ones compared with new lists. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { createWorkOutage, type OutageLog } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import type { Worker } from '../../scheduling/worker.ts';
import type { PageRequest } from '../../store/records.ts';
import type { ScreenedDepositRecord } from '../../store/repositories/screened-deposits.ts';
import type { ListId, ScreeningListRecord } from '../../store/repositories/screening-lists.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { createChangeRules, type RulesDeps } from '../policies/change-rules.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { freeze } from './screen-deposits.ts';

/** Accounts whose lists are read in a round; addresses and deposits of one turn. */
const MOST_ACCOUNTS = 1_000;
const ENTRIES = 500;
const DEPOSITS = 100;
const INTERVAL_MS = 5_000;
/** Behind every txid. */
const PASSED = 'z';

export function createScreenedDeposits(deps: RulesDeps) {
  const { store } = deps;
  const changeRules = createChangeRules(deps);
  return {
    /** Newest first. */
    page: (filter: { status?: 'frozen' | 'released' }, page: PageRequest, { accountId }: RequestContext) =>
      store.read.screenedDeposits.page(accountId, filter, page),

    /** Its coins may be spent. Throws `not_found`, and `state_conflict` where it is released. */
    release: (txid: Txid, context: RequestContext): Promise<ScreenedDepositRecord> =>
      changeRules(context, {
        async apply(tx, _, { at }) {
          const old = await tx.screenedDeposits.findForUpdate(context.accountId, txid);
          if (old === null)
            throw new DomainError('not_found', 'no such deposit was frozen for a screening list', { field: 'txid' });
          if (old.status === 'released')
            throw new DomainError('state_conflict', 'the deposit is released', { field: 'txid' });
          const result: ScreenedDepositRecord = { ...old, status: 'released', updatedAt: at };
          await tx.screenedDeposits.update(result);
          await tx.screenedDeposits.lock(old, false);
          return { result, target: txid, old };
        },
      }),
  };
}
export type ScreenedDeposits = ReturnType<typeof createScreenedDeposits>;

/** Compares earlier deposits with lists that were made or replaced since: a piece at a time, accounts in turn, in one process of several. */
export function createDepositSweeper({
  store,
  clock,
  log,
}: {
  store: Store;
  clock: () => number;
  log: OutageLog;
}): Worker {
  return createJobQueue<Job & { readonly listId: ListId }>({
    ...{ name: 'screening', log, clock, intervalMs: INTERVAL_MS, atOnce: { all: 2, ofAccount: 1 } },
    failed: 'screening lists that are new could not be read',
    recovered: 'screening lists that are new are read again',
    failing: createWorkOutage({
      ...{ part: 'screening', log, clock },
      began: 'earlier deposits could not be compared with screening lists',
      ended: 'earlier deposits are compared with screening lists again',
    }),
    alone: (signal, rounds) => store.exclusively('screening', signal, rounds),
    due: async () =>
      (await store.read.screeningLists.toSweep(MOST_ACCOUNTS)).map(({ accountId, listId }) => ({
        ...{ key: listId, accountId, listId },
      })),
    perform: async ({ accountId, listId }) => {
      await store.write((tx) => sweepPiece(tx, { accountId: accountId as AccountId, listId }, clock()));
      return 'more';
    },
  });
}

async function sweepPiece(
  tx: Repositories,
  key: Pick<ScreeningListRecord, 'accountId' | 'listId'>,
  now: number,
): Promise<void> {
  const list = await tx.screeningLists.findForUpdate(key);
  if (list === null || list.sweep === null) return;
  const { accountId } = list;
  const [script = '', txid = ''] = list.sweep.split(' ');
  const read = await tx.screeningLists.entriesFrom(list, script, ENTRIES);
  const entries = txid === PASSED ? read.filter(({ scriptPubKey }) => scriptPubKey !== script) : read;
  const paying = await tx.screenedDeposits.paying(
    accountId,
    entries.map(({ matchKey }) => matchKey),
  );
  const hit = entries.find(({ matchKey }) => paying.has(matchKey));
  if (hit === undefined) {
    const last = read.length < ENTRIES ? undefined : read.at(-1);
    await tx.screeningLists.update({ ...list, sweep: last ? `${last.scriptPubKey} ${PASSED}` : null });
    return;
  }
  const after = hit.scriptPubKey === script ? txid : '';
  const deposits = await tx.screenedDeposits.paidBy(accountId, hit.matchKey, after, DEPOSITS);
  const { listId, name } = list;
  for (const one of deposits)
    await freeze(tx, { accountId, txid: one, walletId: null, now }, [{ listId, name, address: hit.address }]);
  const reached = deposits.length < DEPOSITS ? PASSED : (deposits.at(-1) as Txid);
  await tx.screeningLists.update({ ...list, sweep: `${hit.scriptPubKey} ${reached}` });
}
