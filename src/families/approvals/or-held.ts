import type { z } from 'zod';
import { Held } from '../../services/approvals/held-answer.ts';
import { approval, approvalExample } from './approval-answer.ts';

/** What is answered 200 (or 201), or, where rules want it approved first, 202 with the approval. `held` says what the approval has. */
export function orHeld<Result, Wire>(
  { schema, present }: { schema: z.ZodType<unknown, Wire>; present: (result: Result) => Wire },
  description: string,
  status: 200 | 201 = 200,
  held = 'the approval, whose `result` is the answer',
) {
  return {
    success: {
      ...{ status, schema, description },
      waiting: {
        ...{ status: 202 as const, schema: approval.schema, example: { ...approvalExample, votes: [] } },
        description: `A rule wants it approved first: ${held}: [guide](/docs/approvals)`,
        when: (result: Result | Held): boolean => result instanceof Held,
      },
    },
    present: (result: Result | Held): unknown =>
      result instanceof Held ? approval.present(result.approval) : present(result),
  };
}
