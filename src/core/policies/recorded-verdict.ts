/** A verdict as it stands on records and in dry runs. */
import type { PolicyAction, Verdict } from './policy.ts';

/** JSON, as the wire has it. */
export interface RecordedVerdict {
  readonly action: PolicyAction['action'];
  readonly rules: readonly {
    readonly policy_id: string;
    readonly name: string;
    readonly action: PolicyAction['action'];
    readonly matched: Readonly<Record<string, string>>;
  }[];
  /** Screening lists for which it is denied. */
  readonly screening?: readonly { readonly list_id: string; readonly name: string; readonly address: string }[];
}

export const recordedVerdict = ({ action, policies, listed }: Verdict): RecordedVerdict => ({
  action,
  rules: policies.map(({ policyId, name, action, matched }) => ({ policy_id: policyId, name, action, matched })),
  ...(listed.length > 0 && {
    screening: listed.map(({ listId, name, address }) => ({ list_id: listId, name, address })),
  }),
});
