/** One DAO for an account, made at first use. Whatever changes one has its row first, so that changes come one after another. */
import { DomainError } from '../../core/errors.ts';
import { firstParameters } from '../../core/governance/parameters.ts';
import { FIRST_MINT, NO_TOKENS } from '../../core/governance/tokens.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { OutageLog } from '../../outages/outage.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { DaoRecord } from '../../store/repositories/governance.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { type RequestEffect, recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { requireStanding } from '../requests/require-standing.ts';
import { createMoves } from './move-tokens.ts';

export type { DaoRecord };

export interface GovernanceDeps {
  /** With what a DAO begins other than the defaults; checked. */
  readonly daoParameters?: Readonly<Record<string, unknown>>;
  readonly store: Store;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: OutageLog;
}

export function createDaos({ store, clock, network, daoParameters = {} }: GovernanceDeps) {
  const { move } = createMoves(clock);

  const stands = ({ role, revokedAt, overlapEndsAt, expiresAt }: ApiKeyRecord): boolean =>
    role === 'admin' && revokedAt === null && Math.min(expiresAt ?? Infinity, overlapEndsAt ?? Infinity) > clock();

  /** With the first tokens, which the oldest administrator's key gets; where there is none, nobody. */
  async function make(tx: Repositories, accountId: AccountId): Promise<void> {
    const at = clock();
    const dao: DaoRecord = {
      accountId,
      parameters: firstParameters(daoParameters, network),
      supply: NO_TOKENS,
      totalPower: 0n,
      seq: 0,
      seenAt: 0,
      ...{ activeProposals: 0, proposals: 0, passedProposals: 0, holders: 0, entries: 0 },
      createdAt: at,
    };
    if (!(await tx.governance.insertDao(dao))) return;
    const oldest = (await tx.apiKeys.list(accountId)).findLast(stands);
    if (oldest === undefined) return;
    const holderId = await tx.apiKeys.firstOfLine(accountId, oldest.keyId);
    await move(tx, dao, { type: 'genesis', to: holderId, amount: FIRST_MINT, reason: null });
  }

  /** Until the job ends no other job changes it. */
  async function held(tx: Repositories, accountId: AccountId): Promise<DaoRecord> {
    const found = await tx.governance.lockDao(accountId);
    if (found !== null) return found;
    await make(tx, accountId);
    const made = await tx.governance.lockDao(accountId);
    if (made === null) throw new Error(`the DAO of ${accountId} is not there`);
    return made;
  }

  return {
    held,

    /** Throws `forbidden` where it would be made and the account is frozen. */
    async of(accountId: AccountId): Promise<DaoRecord> {
      const found = await store.read.governance.findDao(accountId);
      if (found !== null) return found;
      return store.write(async (tx) => {
        if ((await tx.accounts.find(accountId))?.frozenAt !== null)
          throw new DomainError('forbidden', 'the account is frozen, and its DAO would be made now');
        return held(tx, accountId);
      });
    },

    /** A request's job; whoever asked may have lost their rights since. */
    change: <T>(
      context: RequestContext,
      job: (tx: Repositories, dao: DaoRecord) => Promise<RequestEffect & { readonly result: T }>,
    ): Promise<T> =>
      store.write(async (tx) => {
        await requireStanding(tx, { ...context, spends: true });
        const effect = await job(tx, await held(tx, context.accountId));
        await recordRequest(tx, context, effect);
        return effect.result;
      }),
  };
}
export type Daos = ReturnType<typeof createDaos>;
