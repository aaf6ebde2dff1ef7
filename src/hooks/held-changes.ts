/** What changes rules and waits for approvals: kept as it was sent, and checked and done again when it is approved. */
import type { FastifyRequest } from 'fastify';
import type { HeldChanges } from '../services/approvals/held-changes.ts';
import type { AwaitsApproval } from '../services/policies/pass-change.ts';
import type { RequestContext } from '../services/requests/request-context.ts';
import { parsePart } from './input/validation.ts';
import type { AnyOperation } from './operation.ts';

interface Sent {
  readonly params: unknown;
  /** What its JSON says, or its text. */
  readonly body: unknown;
  readonly ifMatch: string | null;
}

export function registerChange(
  operation: AnyOperation,
  { heldChanges }: { readonly heldChanges?: Pick<HeldChanges, 'register'> },
): void {
  const { id, access, changesRules, secretAnswer, params, body } = operation;
  if (!changesRules || access === 'public') return;
  heldChanges?.register({
    ...{ id, access, ...(secretAnswer && { secret: true as const }) },
    shown: changesRules.present as (record: object) => object,
    perform(sent, context) {
      const { ifMatch, ...parts } = sent as Sent;
      const none = { query: {}, authorization: null, cookie: null, found: null, sent: () => '' };
      return operation.run(
        {
          ...{ ...none, ifMatch },
          params: params && parsePart(params, 'params', parts.params),
          body: body && parsePart(body, 'body', parts.body),
        },
        context,
      );
    },
  });
}

export function holdChange(
  waits: AwaitsApproval,
  { params, body, headers }: FastifyRequest,
  context: RequestContext,
  heldChanges: Pick<HeldChanges, 'hold'> | undefined,
) {
  if (heldChanges === undefined) throw waits;
  const sent: Sent = { params, body, ifMatch: headers['if-match'] ?? null };
  return heldChanges.hold(waits, sent, context);
}
