/**
 * Changes of rules and of who may approve that wait for approvals: held requests. After the last vote the whole operation runs again, and is
 * committed only if it still makes exactly the change that was approved (services/policies/pass-change.ts).
 */
import type { Rights } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { EnterpriseConfig } from '../../core/policies/account-rules.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import type { RulesChangeText } from '../../core/policies/rules-change.ts';
import type { OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { inCommon, rightsOf, rightsOfUser } from '../credentials/rights.ts';
import type { AwaitsApproval } from '../policies/pass-change.ts';
import type { Credential, RequestContext, RequestFacts } from '../requests/request-context.ts';
import type { Held } from './held-answer.ts';
import type { KeptOperation } from './held-operation.ts';
import type { HeldRequests } from './held-requests.ts';
import { credentialNow } from './voters.ts';

/** An operation as declared, and how it runs again from the request as sent. */
export interface ChangingOperation extends Pick<KeptOperation<unknown, unknown>, 'id' | 'access' | 'secret'> {
  /** The record as approvers see it, without secrets (`changesRules`). */
  readonly shown: (record: object) => object;
  perform(sent: unknown, context: RequestContext): Promise<unknown>;
}

interface HeldChange {
  readonly sent: unknown;
  readonly signs: RulesChangeText;
  readonly askedAt: number;
  readonly by: Pick<RequestContext, 'requestId' | 'platform' | 'credential'>;
  readonly facts: RequestFacts;
}

/** UTF-16 code units: the limit of a JSON body. */
const MAX_SENT = 1024 * 1024;

export function createHeldChanges(deps: {
  store: Pick<Store, 'read'>;
  held: Pick<HeldRequests, 'keep' | 'hold'>;
  clock: () => number;
}) {
  const { store, held, clock } = deps;

  /** The initiator, with the rights that it had then and still has. */
  async function credentialOf(accountId: AccountId, asked: Credential): Promise<Credential> {
    const { kind: credentialKind, id: credentialId } = asked;
    const now = await credentialNow(store.read, { accountId, credentialKind, credentialId }, clock());
    if (now === null) throw new Error(`${credentialId} has ended meanwhile`);
    const rights: Rights = 'username' in now ? rightsOfUser(now) : rightsOf(now);
    return { ...asked, ...inCommon(asked, rights), limits: asked.limits };
  }

  /** If the account no longer requires approvals, the original requirements remain. */
  async function requirementsNow(tx: Repositories, { accountId, requirements }: OpenApproval) {
    const policyChange = (await tx.enterpriseConfig.lock(accountId))?.policyChange ?? null;
    return policyChange === null ? requirements : [requirementOf(policyChange)];
  }

  return {
    register({ id, access, secret, shown, perform }: ChangingOperation): void {
      held.keep<HeldChange, unknown>({
        ...{ id, access, ...(secret && { secret }), requirementsNow },
        async run({ sent, signs, askedAt, by, facts }, { accountId, signal, record }) {
          const context: RequestContext = {
            ...{ ...by, accountId, facts, signal, idempotency: null, outcome: { recorded: null } },
            credential: await credentialOf(accountId, by.credential),
            changesRules: { present: shown, approved: { signs, askedAt } },
            async recordInstead(tx: Repositories, effect) {
              await record(tx, effect);
              await appendAudit(tx, context, { outcome: 'done', target: effect.target, commitment: effect.commitment });
            },
          };
          return perform(sent, context);
        },
      });
    },
    /** Opens the approval, which is the response. Throws `too_large` for requests longer than MAX_SENT. */
    hold({ required, signs }: AwaitsApproval, sent: unknown, context: RequestContext): Promise<Held> {
      const { accountId, requestId, platform, credential, facts } = context;
      const { operation } = facts;
      if (JSON.stringify(sent).length > MAX_SENT) {
        throw new DomainError(
          'too_large',
          'requests that wait for approval have at most 1 MiB: split it into smaller ones',
        );
      }
      const request: HeldChange = {
        ...{ sent, signs, askedAt: clock(), by: { requestId, platform, credential } },
        facts: { ...facts, signature: null },
      };
      return held.hold(
        operation,
        request,
        {
          ...{ operation, subject: signs.target ?? operation, walletId: null, initiator: credential, signs },
          ...{ accountId, requirements: [requirementOf(required)] },
          asked: { role: credential.role, feeSats: '0', pays: [] },
        },
        context,
      );
    },
  };
}
export type HeldChanges = ReturnType<typeof createHeldChanges>;

const requirementOf = (policyChange: NonNullable<EnterpriseConfig['policyChange']>): Requirement => ({
  policyId: 'policy_change',
  ...policyChange,
});
