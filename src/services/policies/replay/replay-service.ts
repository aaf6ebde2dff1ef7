/** Replays of rules over an account's payments: created, shown and deleted by requests. */
import { DomainError } from '../../../core/errors.ts';
import { type AccountId, newId } from '../../../core/ids.ts';
import type { Policy } from '../../../core/policies/policy.ts';
import { tooManyLengths } from '../../../core/policies/windows.ts';
import { inBatches } from '../../../scheduling/in-batches.ts';
import type { Page, PageRequest } from '../../../store/records.ts';
import type { ReplayDifference, ReplayRecord } from '../../../store/repositories/replays.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { assertThere, namedByPolicy } from '../references.ts';
import type { RulesOf } from '../rules-of.ts';
import type { EntriesOf } from '../spending-of.ts';
import { createHistoryPass, TooLong, windowStart, windowsReachMs } from './history-pass.ts';
import { createTally, NO_FIGURES } from './replay-figures.ts';

export {
  type ActionCounts,
  REPLAY_STATUSES,
  type ReplayDifference,
  type ReplayRecord,
} from '../../../store/repositories/replays.ts';

/** Payments times rules, and sums of payees, that a request replays itself: some ten milliseconds each. */
const SMALL = 5_000;
/** The cost of reading a payment, in evaluated rules. */
const READING = 10;
const MOST_RUNNING = 5;
/** Per account; the oldest that have ended are deleted for new ones. */
const MOST_KEPT = 20;
/** Differences shown with the replay; all of them come in pages. */
const FIRST = 20;
const KEPT_MS = 7 * 24 * 3_600_000;
/** Replays, and changes of the sums, deleted per job. */
const SWEPT = 5;
const SWEPT_CHANGES = 1_000;

export interface NewReplay {
  /** undefined: the rules in force. */
  readonly policies: readonly Omit<Policy, 'policyId' | 'position'>[] | undefined;
  readonly defaultAction: 'allow' | 'deny' | undefined;
  readonly fromAt: number;
  readonly toAt: number | undefined;
}

export type ShownReplay = ReplayRecord & {
  /** The newest ones. */
  readonly differences: readonly ReplayDifference[];
  readonly expiresAt: number | null;
};

export function createReplays(deps: {
  store: Store;
  rulesOf: RulesOf;
  entriesOf: EntriesOf;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  onQueued: () => void;
  mostSums?: number;
  /** How long changes of the sums are kept, milliseconds. */
  historyMs: number;
}) {
  const { store, rulesOf, clock, randomBytes, historyMs } = deps;
  const { read } = store;

  const sweptBy = (most: number, job: (tx: Repositories) => Promise<number>): Promise<number> =>
    inBatches(most, () => store.write(job));

  const expiresAt = ({ closedAt }: ReplayRecord): number | null => (closedAt === null ? null : closedAt + KEPT_MS);

  async function shown(replay: ReplayRecord): Promise<ShownReplay> {
    const { accountId, replayId } = replay;
    const { data } = await read.replays.differences(accountId, replayId, { limit: FIRST, offset: 0 });
    return { ...replay, differences: data, expiresAt: expiresAt(replay) };
  }

  async function found(replayId: string, { accountId }: RequestContext): Promise<ReplayRecord> {
    const replay = await read.replays.find(accountId, replayId);
    if (replay === null) throw missing();
    return replay;
  }

  async function rulesToAsk({ policies, defaultAction }: NewReplay, accountId: AccountId) {
    const inForce = await rulesOf(read, accountId);
    const given = policies?.map((policy, at) => ({ ...policy, policyId: `proposed-${at + 1}`, position: at + 1 }));
    const named = given?.flatMap((policy, at) =>
      namedByPolicy(policy).map((one) => ({ ...one, field: `policies[${at}].${one.field}` })),
    );
    await assertThere(read, accountId, named ?? []);
    const problem = tooManyLengths(given ?? []);
    if (problem !== null) throw new DomainError('policy_refused', problem, { field: 'policies' });
    return { policies: given ?? inForce.policies, defaultAction: defaultAction ?? inForce.config.defaultAction };
  }

  async function drafted(asked: NewReplay, accountId: AccountId): Promise<ReplayRecord> {
    const { fromAt, toAt = clock() } = asked;
    if (fromAt >= toAt) throw new DomainError('invalid_value', 'must be earlier than to', { field: 'from' });
    const rules = await rulesToAsk(asked, accountId);
    const firstPlace = await read.spendHistory.placeAt(accountId, fromAt);
    return {
      ...{ ...rules, accountId, fromAt, toAt, firstPlace, place: firstPlace - 1 },
      completeFrom: completeFrom(rules.policies, fromAt, clock() - historyMs),
      replayId: newId('rpl', randomBytes),
      lastPlace: (await read.spendHistory.placeAt(accountId, toAt)) - 1,
      ...{
        figures: NO_FIGURES,
        status: 'running',
        reason: null,
        createdAt: clock(),
        progressedAt: clock(),
        closedAt: null,
      },
    };
  }

  /** A short history is replayed here; a long one remains `running`. */
  async function playedNow(replay: ReplayRecord, { signal }: RequestContext) {
    const { accountId, policies, defaultAction, firstPlace, lastPlace, fromAt } = replay;
    const start = await windowStart(read, replay, firstPlace, fromAt);
    const most = Math.floor(SMALL / (policies.length + READING)) + 1;
    if ((await read.spendHistory.count(accountId, start, lastPlace, most)) >= most) return { replay, differences: [] };
    const tally = createTally(replay);
    const options = { accountId, policies, defaultAction, from: firstPlace, to: lastPlace };
    try {
      const pass = await createHistoryPass({ ...deps, read, mostAdded: SMALL }, options, start);
      while (pass.place() < lastPlace) {
        signal.throwIfAborted();
        await pass.advance(tally.add);
      }
    } catch (error) {
      if (error instanceof TooLong) return { replay, differences: [] };
      throw error;
    }
    const end = { status: 'done' as const, place: Math.max(lastPlace, firstPlace - 1) };
    return { replay: { ...replay, ...end, figures: tally.figures(), closedAt: clock() }, differences: tally.found() };
  }

  return {
    /** Throws `not_found` for unknown ids in rules, `invalid_value`, `state_conflict` if too many are running. */
    async create(asked: NewReplay, context: RequestContext): Promise<ShownReplay> {
      const { accountId } = context;
      const { replay, differences } = await playedNow(await drafted(asked, accountId), context);
      const first = differences.toReversed().slice(0, FIRST);
      const result = { ...replay, differences: first, expiresAt: expiresAt(replay) };
      await store.write(async (tx) => {
        await makeRoom(tx, accountId, replay.status === 'running');
        await tx.replays.insert(replay);
        await tx.replays.addDifferences(differences);
        await recordRequest(tx, context, { result, target: replay.replayId });
      });
      if (replay.status === 'running') deps.onQueued();
      return result;
    },

    get: async (replayId: string, context: RequestContext): Promise<ShownReplay> =>
      shown(await found(replayId, context)),

    /** Newest first, without their differences. */
    async page(
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<ReplayRecord & { expiresAt: number | null }>> {
      const { data, ...rest } = await read.replays.page(accountId, page);
      return { ...rest, data: data.map((replay) => ({ ...replay, expiresAt: expiresAt(replay) })) };
    },

    /** The newest payments first. */
    async differences(replayId: string, page: PageRequest, context: RequestContext): Promise<Page<ReplayDifference>> {
      await found(replayId, context);
      return read.replays.differences(context.accountId, replayId, page);
    },

    /** A running replay stops. */
    delete: (replayId: string, context: RequestContext): Promise<null> =>
      store.write(async (tx) => {
        const { accountId } = context;
        if (!(await tx.replays.delete(accountId, replayId))) throw missing();
        await recordRequest(tx, context, { result: null, target: replayId });
        return null;
      }),

    /** Deletes expired replays, and changes of the sums that not even a running replay needs; returns how many. */
    sweep: async (): Promise<number> =>
      (await sweptBy(SWEPT, (tx) => tx.replays.deleteClosed(clock() - KEPT_MS, SWEPT))) +
      (await sweptBy(SWEPT_CHANGES, (tx) =>
        tx.spendHistory.deleteChanges(clock() - historyMs - KEPT_MS, SWEPT_CHANGES),
      )) +
      (await sweptBy(SWEPT_CHANGES, (tx) => tx.spendHistory.deleteWaits(clock() - historyMs - KEPT_MS, SWEPT_CHANGES))),
  };
}
export type Replays = ReturnType<typeof createReplays>;

/** From when on all changes that the windows need are kept; `kept`: since when changes are. */
function completeFrom(policies: readonly Policy[], fromAt: number, kept: number): number | null {
  const reach = windowsReachMs(policies);
  return reach > 0 && fromAt < kept + reach ? kept + reach : null;
}

const missing = (): DomainError => new DomainError('not_found', 'there is no such replay', { field: 'replay_id' });

async function makeRoom(tx: Repositories, accountId: AccountId, runs: boolean): Promise<void> {
  const all = await tx.replays.statuses(accountId);
  const running = all.filter(({ status }) => status === 'running');
  if (runs && running.length >= MOST_RUNNING) {
    throw new DomainError(
      'state_conflict',
      `${MOST_RUNNING} replays are running: wait until one is done, or delete one`,
    );
  }
  const closed = all.filter(({ status }) => status !== 'running');
  for (const { replayId } of closed.slice(0, Math.max(0, all.length + 1 - MOST_KEPT)))
    await tx.replays.delete(accountId, replayId);
}
