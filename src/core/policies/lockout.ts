/** Whether a rule has enough possible approvers. A voice is a person, or a credential that counts as itself. */

/** The problem in words; null if enough people may approve. */
export function tooFewApprovers(required: number, voices: ReadonlySet<string>): string | null {
  if (voices.size >= required) return null;
  const can = voices.size === 0 ? 'nobody can approve' : `only ${voices.size} can approve`;
  return `${can} of whom it names, and ${required} must: who approves has at least the role operator, may write approvals and signs requests`;
}
