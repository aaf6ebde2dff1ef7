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
}

export const recordedVerdict = ({ action, policies }: Verdict): RecordedVerdict => ({
  action,
  rules: policies.map(({ policyId, name, action, matched }) => ({ policy_id: policyId, name, action, matched })),
});
