/** Passed proposals are executed here, each once: the attempt is claimed in the job of its effect, under the DAO's row. */
import { type Role, roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import { type Outpoint, outpointKey } from '../../core/outpoint.ts';
import { createKeyedMutex } from '../../scheduling/keyed-mutex.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { DaoRecord } from '../../store/repositories/governance.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import { isFinal } from '../approvals/approval-subject.ts';
import { askerAgain } from '../approvals/asked-again.ts';
import { isAllowed, newestOf } from '../approvals/asked-by.ts';
import { credentialNow } from '../approvals/voters.ts';
import type { ChooseFeeRate } from '../fees/choose-fee-rate.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TransactionParts } from '../transactions/index.ts';
import type { Spend } from '../transactions/make-transaction.ts';
import { daoTime } from './dao-time.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import type { Ends } from './ends.ts';
import { logPaid } from './executed.ts';
import { attemptsOf, withExecution } from './execution-view.ts';
import type { Proposals } from './proposals.ts';
import { settle } from './settle.ts';
import type { ProposalTypes } from './types/index.ts';
import type { AppliedType, PayingType } from './types/proposal-type.ts';

const MOST_ATTEMPTS = 100;
/** Blocks on top of the one that spends a coin of a payment, after which that payment is taken to be dead. */
const DEEP = 5;
/** Unconfirmed transactions that are looked at of those that one stands on. */
const MOST_ANCESTORS = 1_000;

/** It cannot be executed, or not now: that is no failure of its execution. */
class NotExecutable extends DomainError {
  constructor(message: string) {
    super('state_conflict', message, { field: 'proposal_id' });
  }
}

export interface ExecutionDeps extends GovernanceDeps {
  readonly daos: Daos;
  readonly proposals: Pick<Proposals, 'found' | 'get'>;
  readonly types: ProposalTypes;
  readonly ends: Ends;
  readonly payments: Pick<TransactionParts, 'maker' | 'spendOfPayment' | 'conditions'>;
  readonly chooseFeeRate: ChooseFeeRate;
}

export function createExecution({
  store,
  proposals,
  clock,
  log,
  daos,
  types,
  ends,
  payments,
  chooseFeeRate,
}: ExecutionDeps) {
  const { read } = store;
  /** Coins that one takes are not missing to the next, which finds the proposal executed. */
  const alone = createKeyedMutex<AccountId>();

  /** In a job that has the DAO's row. What waited for approval goes by the time when it was asked for. Answers the attempt's number. */
  async function claim(tx: Repositories, dao: DaoRecord, proposalId: ProposalId, context: RequestContext) {
    const approved = context.changesRules?.approved;
    const found = await proposals.found(tx, proposalId, context, 'proposal_id');
    const proposal = await withExecution(tx, found, approved?.askedAt ?? (await daoTime(tx, dao)), !!approved);
    const { execution, status } = proposal;
    if (execution?.status !== 'ready' && execution?.status !== 'failed')
      throw new NotExecutable(whyNot(execution?.status ?? status, proposal));
    const last = (await tx.executions.of(dao.accountId, proposalId)).at(-1)?.attempt ?? 0;
    if (last >= MOST_ATTEMPTS) throw new NotExecutable(`it was tried ${MOST_ATTEMPTS} times, and no payment confirmed`);
    return { proposal, attempt: last + 1 };
  }

  const apply = (proposalId: ProposalId, type: AppliedType, context: RequestContext): Promise<ProposalRecord> =>
    daos.change(context, async (tx, dao) => {
      const { accountId } = dao;
      const { proposal, attempt } = await claim(tx, dao, proposalId, context);
      const change = await type.apply(tx, dao, proposal.parameters, context);
      const carriedOut = change && { ...change, proposal: named(proposal) };
      const now = clock();
      await tx.executions.insert({
        ...{ accountId, proposalId, attempt, txid: null, reason: null, executedAt: now, createdAt: now },
      });
      return { result: await settle(tx, proposal), target: proposalId, change: carriedOut };
    });

  /**
   * Inputs of a payment that another transaction has in a block, or that come from a payment of which that is true; `deep`: so deep that it
   * cannot confirm any more. `known`: each transaction is looked at once, however many outputs of it are spent.
   */
  async function lostInputs(
    accountId: AccountId,
    { txid }: Pick<TransactionRecord, 'txid'>,
    tip: number,
    known = new Map<string, 'deep' | Outpoint[]>(),
  ): Promise<{ inputs: Outpoint[]; lost: 'deep' | Outpoint[] }> {
    const inputs = (await read.transactions.inputs(accountId, txid)).map(({ prev }) => prev);
    const coins = await read.coins.findMany(accountId, inputs);
    if (coins.some(({ spentHeight }) => spentHeight !== null && tip - spentHeight >= DEEP))
      return { inputs, lost: 'deep' };
    const lost: Outpoint[] = coins.filter(({ spentHeight }) => spentHeight !== null);
    for (const input of inputs) {
      let before = known.get(input.txid);
      if (before === undefined) {
        const parent = await read.transactions.find(accountId, input.txid);
        const isOpen = parent !== null && parent.blockHeight === null && known.size < MOST_ANCESTORS;
        known.set(input.txid, []);
        before = isOpen ? (await lostInputs(accountId, parent, tip, known)).lost : [];
        known.set(input.txid, before);
      }
      if (before === 'deep') return { inputs, lost: 'deep' };
      if (before.length > 0) lost.push(input);
    }
    return { inputs, lost };
  }

  /**
   * A coin that all earlier payments spend which were signed and could still confirm; undefined where there are none. The next spends it, too:
   * so one of them at most ever confirms. Throws where what spent it may yet leave the chain.
   */
  async function sharedInput(proposal: ProposalRecord): Promise<Outpoint | undefined> {
    const alive: Outpoint[][] = [];
    const spent = new Set<string>();
    const tip = (await read.ledger.tip())?.height ?? 0;
    for (const { accountId, payment, txid } of await attemptsOf(read, proposal)) {
      const record = txid && (await read.transactions.find(accountId, txid));
      if (!payment || !record || record.raw === null) continue;
      const { inputs, lost } = await lostInputs(accountId, record, tip);
      if (lost === 'deep') continue;
      alive.push(inputs);
      for (const coin of lost) spent.add(outpointKey(coin));
    }
    const [first, ...others] = alive;
    const isShared = (one: Outpoint) =>
      !spent.has(outpointKey(one)) &&
      others.every((inputs) => inputs.some((other) => outpointKey(other) === outpointKey(one)));
    const shared = first?.filter(isShared);
    if (shared?.length === 0)
      throw new NotExecutable(
        `an earlier payment could still confirm, and nothing can be paid that excludes it: wait until a coin of it is spent ${DEEP + 1} blocks deep`,
      );
    return shared?.[0];
  }

  /** The one that whoever proposed it had then and still has, by a rotated key, too. Throws where it has ended: by no role can it be judged. */
  async function roleNow(accountId: AccountId, { kind, id, role }: ProposalRecord['initiator']): Promise<Role> {
    const credentialId = kind === 'api_key' ? await newestOf(read, accountId, id, clock()) : id;
    const now = await credentialNow(read, { accountId, credentialKind: kind, credentialId }, clock());
    if (now === null)
      throw new DomainError(
        'policy_denied',
        'whoever proposed it has no access any more, so that no rule can judge them: propose it anew',
      );
    return roleReaches(now.role, role) ? role : now.role;
  }

  async function spendOf(proposal: ProposalRecord, type: PayingType, context: RequestContext): Promise<Spend> {
    const { accountId, proposalId, initiator, parameters } = proposal;
    const { walletId, recipients, feeRate } = type.pays(parameters);
    const input = await sharedInput(proposal);
    const spend = await payments.spendOfPayment(
      accountId,
      {
        ...{ walletId, recipients, feeRate: await chooseFeeRate(feeRate), rbf: true, label: `proposal ${proposalId}` },
        ...(input === undefined ? {} : { coinControl: { include: [input] } }),
      },
      { conditions: payments.conditions.current, signal: context.signal },
    );
    const proposer = askerAgain(accountId, { ...initiator, role: await roleNow(accountId, initiator) });
    const of = { proposal: named(proposal) };
    return {
      // The input was given back after what is known of the wallet's coins was read.
      ...{ ...spend, fresh: input !== undefined || spend.fresh === true },
      asks: (plan) => ({ ...spend.asks(plan), operation: 'treasury_spend', also: 'payment', proposer, ...of }),
    };
  }

  async function pay(proposalId: ProposalId, type: PayingType, context: RequestContext): Promise<ProposalRecord> {
    const { changesRules: _, ...paying } = context;
    let claimed: Awaited<ReturnType<typeof claim>> | undefined;
    let dao: DaoRecord | undefined;
    const { txid, status } = await payments.maker.make(
      paying,
      async () => {
        dao = await daos.of(context.accountId);
        claimed = await claim(read, dao, proposalId, context);
        return spendOf(claimed.proposal, type, context);
      },
      {
        async first(tx) {
          dao = await daos.held(tx, context.accountId);
          const { attempt } = await claim(tx, dao, proposalId, context);
          // Another was made meanwhile, and failed: what it spends is to be spent, too.
          if (attempt !== claimed?.attempt)
            throw new DomainError('state_conflict', 'another attempt was made meanwhile');
        },
        async besides(tx, { accountId, unsignedTxid, status }) {
          const { attempt } = claimed!;
          const now = clock();
          const executedAt = status === 'signed' ? now : null;
          await tx.executions.insert({
            ...{ accountId, proposalId, attempt, txid: unsignedTxid, reason: null, executedAt, createdAt: now },
          });
        },
        answer: (_view, tx) => settle(tx, claimed!.proposal),
      },
    );
    if (status !== 'awaiting_approval') logPaid(log, { accountId: context.accountId, proposalId, txid, status });
    return proposals.get(proposalId, context);
  }

  /** That it failed, before anything was kept of it. Answers what is to be said: where another made it meanwhile, that. */
  const note = (proposalId: ProposalId, context: RequestContext, failure: DomainError): Promise<DomainError> =>
    store.write(async (tx) => {
      const dao = await daos.held(tx, context.accountId);
      try {
        await claim(tx, dao, proposalId, context);
        const { accountId } = dao;
        const { message } = failure;
        await tx.executions.noteFailure({ accountId, proposalId, reason: message, createdAt: clock() });
        log.warn(
          { part: 'governance', account: accountId, proposal: proposalId, reason: message },
          'the execution of a proposal failed',
        );
        await settle(tx, { accountId, proposalId }, { failed: true });
        return failure.at('proposal_id');
      } catch (error) {
        if (!(error instanceof NotExecutable)) throw error;
        return error;
      }
    });

  async function execute(proposalId: ProposalId, context: RequestContext): Promise<ProposalRecord> {
    const { accountId } = context;
    const dao = await daos.of(accountId);
    await ends.endDue(accountId);
    const { proposal } = await claim(read, dao, proposalId, context);
    const type = types.typeOf(proposal.type);
    if ('pays' in type && !isAllowed(context.credential, { scope: 'transactions:write', role: 'admin' }))
      throw new DomainError('forbidden', 'what pays is executed with the scope transactions:write, too');
    try {
      return await ('pays' in type ? pay(proposalId, type, context) : apply(proposalId, type, context));
    } catch (error) {
      if (!isFinal(error) || error instanceof NotExecutable || error.code === 'forbidden') throw error;
      throw await note(proposalId, context, error);
    }
  }

  return {
    /**
     * Throws `not_found`, `state_conflict` where it cannot be executed, and why its execution failed, which is kept: it can be executed again.
     */
    execute: (proposalId: ProposalId, context: RequestContext): Promise<ProposalRecord> =>
      alone(context.accountId, () => execute(proposalId, context), context.signal),
  };
}
export type Executions = ReturnType<typeof createExecution>;

/** As approvers read of it. */
const named = ({ proposalId, title }: ProposalRecord) => ({ proposal_id: proposalId, title });

function whyNot(status: string, { execution }: ProposalRecord): string {
  const { from, until, txid } = execution ?? {};
  const time = (at: number | null | undefined) => (at ? new Date(at).toISOString() : '');
  const why: Readonly<Record<string, string>> = {
    active: 'it can still be voted on',
    rejected: 'it was rejected',
    cancelled: 'it was cancelled',
    waiting_timelock: `it can be executed from ${time(from)} on`,
    awaiting_approval: 'its execution waits for approval',
    executed: `it is executed${txid ? `, by transaction ${txid}` : ''}`,
    expired: `it could be executed until ${time(until)}`,
  };
  return `the proposal cannot be executed: ${why[status]}`;
}
