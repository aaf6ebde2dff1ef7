import type { OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { type ApprovalView, viewOfApproval } from './approval-view.ts';

/** The response to a request that waits. */
export class Held {
  readonly approval: ApprovalView;
  constructor(approval: ApprovalView) {
    this.approval = approval;
  }
}

const NO_GROUPS = { groupsOf: () => [] };

/** The response for an approval without votes. */
export const heldAs = async (tx: Repositories, approval: OpenApproval): Promise<Held> =>
  new Held(await viewOfApproval(tx, approval, { votes: [], rules: NO_GROUPS, now: approval.createdAt }));
