/**
 * Snapshots of who has which power. The rows are read in pages before the job that makes a proposal, and its leaves are computed beside the
 * serving thread; where tokens have moved by then, it is all done again.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { DomainError } from '../../core/errors.ts';
import { proposalCommitment } from '../../core/governance/commitments.ts';
import type { ProposalStatement, SnapshotLeaf } from '../../core/governance/export-file.ts';
import { leafIn, type Snapshot, type SnapshotJobs } from '../../core/governance/snapshot.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { DaoRecord, Daos } from './daos.ts';

const PAGE = 500;
const MOST_TRIES = 5;
const deflated = promisify(deflateRaw);

class Moved extends Error {}

/** Those behind a place. */
type Rows = (
  accountId: AccountId,
  limit: number,
  behind: readonly string[],
) => Promise<{ readonly row: readonly unknown[]; readonly place: readonly string[] }[]>;

export interface TakenSnapshot {
  /** In the job that makes the proposal: answers what its audit record commits to. Throws where tokens have moved since. */
  keep(tx: Repositories, dao: DaoRecord, proposal: ProposalRecord): Promise<string>;
}

interface SnapshotDeps {
  readonly store: Store;
  readonly network: Network;
  readonly computing: Computing<SnapshotJobs>;
}

/** What the audit record of the creation commits to, and the export shows. */
export const statementOf = (
  proposal: Omit<ProposalRecord, 'status'>,
  network: Network,
  { root, holders }: Pick<Snapshot, 'root' | 'holders'>,
): ProposalStatement => ({
  ...{ dao: proposal.accountId, network, proposal_id: proposal.proposalId, proposer_id: proposal.proposerId },
  ...{ type: proposal.type, title: proposal.title, description: proposal.description },
  // As they are read back from the database.
  ...(JSON.parse(JSON.stringify({ parameters: proposal.parameters, settings: proposal.settings })) as Pick<
    ProposalStatement,
    'parameters' | 'settings'
  >),
  snapshot: { seq: proposal.snapshotSeq, root, holders },
  created_at: new Date(proposal.createdAt).toISOString(),
  expires_at: new Date(proposal.expiresAt).toISOString(),
});

export function createSnapshots({ store: { read }, network, computing, daos }: SnapshotDeps & { daos: Daos }) {
  /** Others have their turn between any two pages. */
  async function pagesOf(accountId: AccountId, rows: Rows) {
    const pages: string[] = [];
    const pause = createYielder();
    let behind: readonly string[] = [];
    await inBatches(PAGE, async () => {
      await pause();
      const found = await rows(accountId, PAGE, behind);
      behind = found.at(-1)?.place ?? behind;
      pages.push(JSON.stringify(found.map(({ row }) => row)));
      return found.length;
    });
    return pages;
  }

  /** Null where the rows are of different moments. */
  async function pagesNow(accountId: AccountId) {
    const { seq } = await daos.of(accountId);
    const { holderRows, delegationRows, keyRows, rotationRows } = read.recounts;
    const given = {
      holders: await pagesOf(accountId, holderRows),
      delegations: await pagesOf(accountId, delegationRows),
      keys: await pagesOf(accountId, keyRows),
      rotations: await pagesOf(accountId, rotationRows),
    };
    const made = await computing.run('governance.snapshot', given, { accountId });
    return made === null ? null : { ...made, seq };
  }

  async function taken(accountId: AccountId): Promise<TakenSnapshot | null> {
    const snapshot = await pagesNow(accountId);
    if (snapshot === null) return null;
    const { seq, root, holders } = snapshot;
    const pieces = await Promise.all(
      snapshot.pieces.map(async ({ first, leaves }) => ({ firstHolder: first, leaves: await deflated(leaves) })),
    );
    return {
      async keep(tx, dao, proposal) {
        if (dao.seq !== seq) throw new Moved();
        const { proposalId } = proposal;
        await tx.recounts.insertSnapshot({ accountId, proposalId, root, holders }, pieces);
        return proposalCommitment(statementOf(proposal, network, snapshot));
      },
    };
  }

  const waiting = new Map<AccountId, { readonly now: Promise<unknown>; next?: Promise<TakenSnapshot | null> }>();
  /** One at a time of an account: whoever asks meanwhile shares the next, which has all that they have done before. */
  function shared(accountId: AccountId): Promise<TakenSnapshot | null> {
    const busy = waiting.get(accountId);
    const again = () => shared(accountId);
    if (busy !== undefined) {
      busy.next ??= busy.now.then(again, again);
      return busy.next;
    }
    const now = taken(accountId).finally(() => waiting.delete(accountId));
    waiting.set(accountId, { now });
    return now;
  }

  return {
    /** Does what makes a proposal with a snapshot that it keeps. Throws `state_conflict` where tokens never stand still. */
    async withSnapshot<T>(
      { accountId }: { readonly accountId: AccountId },
      make: (snapshot: TakenSnapshot) => Promise<T>,
    ): Promise<T> {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const snapshot = await shared(accountId);
        if (snapshot === null) continue;
        try {
          return await make(snapshot);
        } catch (error) {
          if (!(error instanceof Moved)) throw error;
        }
      }
      throw new DomainError(
        'state_conflict',
        'tokens move all the time, so that no snapshot could be taken: try again',
        {
          retryAfterSeconds: 1,
        },
      );
    },

    /** The root of a proposal's snapshot, and the holder's leaf in it; null where it has none. */
    async leafOf(
      tx: Pick<Repositories, 'recounts'>,
      { accountId, proposalId }: { accountId: AccountId; proposalId: ProposalId },
      holderId: string,
    ): Promise<{ root: string; leaf: SnapshotLeaf | null }> {
      const snapshot = await tx.recounts.findSnapshot(accountId, proposalId);
      if (snapshot === null) throw new DomainError('state_conflict', 'no snapshot was kept of this proposal');
      const piece = await tx.recounts.pieceWith(accountId, snapshot.root, holderId);
      // At once, in a job that awaits nothing else: some 40 KiB.
      const leaves = piece === null ? '' : inflateRawSync(piece).toString('utf8');
      return { root: snapshot.root, leaf: leafIn(leaves, holderId) };
    },
  };
}
export type Snapshots = ReturnType<typeof createSnapshots>;
