import type { AnyOperation } from '../../hooks/operation.ts';
import { Held } from '../../services/approvals/held-answer.ts';
import { approval, approvalExample } from './approval-answer.ts';

/** Those of the operations that change rules are answered 202 with the approval, where the account's `policy_change` has them wait. */
export const orWaiting = (operations: readonly AnyOperation[]): AnyOperation[] =>
  operations.map((operation) => (operation.changesRules ? waits(operation) : operation));

const waits = (operation: AnyOperation): AnyOperation => ({
  ...operation,
  success: {
    ...operation.success,
    waiting: {
      ...{ status: 202, schema: approval.schema, example: { ...approvalExample, votes: [] } },
      description:
        'Where policy_change of the enterprise config is set: the approval that it waits for: [guide](/docs/policies)',
      when: (result: unknown) => result instanceof Held,
    },
  },
  present: (result: unknown) =>
    result instanceof Held ? approval.present(result.approval) : operation.present(result),
});
