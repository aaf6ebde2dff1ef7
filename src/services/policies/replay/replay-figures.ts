/** The figures of a replay, and the payments whose action differs. */
import type { PolicyAction } from '../../../core/policies/policy.ts';
import { recordedVerdict } from '../../../core/policies/recorded-verdict.ts';
import type { ReplayDifference, ReplayFigures, ReplayRecord } from '../../../store/repositories/replays.ts';
import type { Judged } from './history-pass.ts';

/** Differences that a replay keeps; further ones are only counted. */
const MOST_DIFFERENCES = 5_000;

export const NO_FIGURES: ReplayFigures = {
  ...{ payments: 0, differing: 0, unjudged: 0 },
  before: { allow: 0, approve: 0, deny: 0 },
  after: { allow: 0, approve: 0, deny: 0 },
};

/** Continues the figures of a replay; `found`: the differences since. */
export function createTally({
  accountId,
  replayId,
  figures: given,
}: Pick<ReplayRecord, 'accountId' | 'replayId' | 'figures'>) {
  const figures = { ...given, before: { ...given.before }, after: { ...given.after } };
  const found: ReplayDifference[] = [];
  return {
    add({ payment, amountSats, verdict }: Judged): void {
      if (verdict === null) {
        figures.unjudged++;
        return;
      }
      const { place, txid, walletId, createdAt, policy } = payment;
      // Without rules everything was allowed.
      const before: PolicyAction['action'] = policy?.action ?? 'allow';
      figures.payments++;
      figures.before[before]++;
      figures.after[verdict.action]++;
      if (before === verdict.action) return;
      figures.differing++;
      if (figures.differing > MOST_DIFFERENCES) return;
      found.push({
        ...{ replayId, accountId, place, txid, walletId, amountSats, createdAt },
        ...{ before: policy, after: recordedVerdict(verdict) },
      });
    },
    figures: (): ReplayFigures => figures,
    found: (): readonly ReplayDifference[] => found,
  };
}
