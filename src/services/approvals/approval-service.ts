/** Shows approvals and takes votes. Those of other accounts are `not_found`. */
import type { ApprovalId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { ApprovalFilter, ListedApproval } from '../../store/repositories/approvals.ts';
import type { Store } from '../../store/store.ts';
import type { Reading, RequestContext } from '../requests/request-context.ts';
import { type ApprovalView, requireApproval, viewOfApproval } from './approval-view.ts';
import type { HeldRequests } from './held-requests.ts';
import { namesIn } from './names-in.ts';
import { createVote, type VoteDependencies, type VoteRequest } from './vote.ts';

export { APPROVAL_STATUSES, type ApprovalRecord, type ListedApproval } from '../../store/repositories/approvals.ts';
export type { ApprovalView };

export function createApprovals(
  deps: VoteDependencies & {
    store: Store;
    held: Pick<HeldRequests, 'resultOf'>;
    /** Something was approved. */
    onApproved: () => void;
  },
) {
  const { store, rulesOf, clock } = deps;
  const vote = createVote(deps);

  async function get(approvalId: ApprovalId, context: Reading): Promise<ApprovalView> {
    const { accountId } = context;
    const { read } = store;
    const approval = await requireApproval(read.approvals.find, accountId, approvalId);
    const votes = await read.approvalVotes.of(accountId, approvalId);
    const view = await viewOfApproval(read, approval, { votes, rules: await rulesOf(read, accountId), now: clock() });
    const names = await namesIn(read, approval, context.credential, clock());
    return { ...view, names, result: deps.held.resultOf(approval, context) };
  }

  return {
    get,
    /** Throws `not_found`. */
    getListed: (approvalId: ApprovalId, { accountId }: Pick<Reading, 'accountId'>): Promise<ListedApproval> =>
      requireApproval(store.read.approvals.findListed, accountId, approvalId),
    list: (filter: ApprovalFilter, page: PageRequest, { accountId }: RequestContext): Promise<Page<ListedApproval>> =>
      store.read.approvals.page(accountId, filter, page),
    /**
     * Returns the approval including the vote; what the last vote approves is carried out afterwards. Throws `not_found`, `state_conflict`
     * (another digest, closed, already approved), `forbidden` (own request, not an approver, unsigned).
     */
    async vote(approvalId: ApprovalId, request: VoteRequest, context: RequestContext): Promise<ApprovalView> {
      const view = await vote(approvalId, request, context);
      if (view.status === 'approved') deps.onApproved();
      return view;
    },
  };
}

export type ApprovalService = ReturnType<typeof createApprovals>;
