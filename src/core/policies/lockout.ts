/** Whether a rule has enough possible approvers. A voice is a person, or a credential that counts as itself. */

/** The problem in words; null if enough people may approve. */
export function tooFewApprovers(required: number, voices: ReadonlySet<string>): string | null {
  if (voices.size >= required) return null;
  const can = voices.size === 0 ? 'nobody can approve' : `only ${voices.size} can approve`;
  return `${can} of whom it names, and ${required} must: who approves has at least the role operator, may write approvals and signs requests`;
}

/** The same of changes of the rules themselves: one who may ask for a change must find enough others. */
export function lockedOut(
  required: number,
  voices: ReadonlySet<string>,
  administrators: ReadonlySet<string>,
): string | null {
  const tooFew = tooFewApprovers(required, voices);
  if (tooFew !== null) return tooFew;
  const others = (one: string): number => voices.size - (voices.has(one) ? 1 : 0);
  if ([...administrators].some((one) => others(one) >= required)) return null;
  return `nobody could change the rules any more: no administrator who asks for a change would find ${required} others to approve it`;
}
