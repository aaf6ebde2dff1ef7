/**
 * The order in which open scans, oldest first, get their turn: one of each account, those before others whose last turn is longest ago;
 * then whatever else there is. So an account that queues many waits for its own.
 */
export function inTurns<Scan extends { readonly accountId: string }>(
  open: readonly Scan[],
  lastTurn: ReadonlyMap<string, number>,
): Scan[] {
  const oldest = new Map<string, Scan>();
  for (const scan of open) if (!oldest.has(scan.accountId)) oldest.set(scan.accountId, scan);
  const turnOf = ({ accountId }: Scan): number => lastTurn.get(accountId) ?? 0;
  const first = [...oldest.values()].sort((a, b) => turnOf(a) - turnOf(b));
  return [...first, ...open.filter((scan) => oldest.get(scan.accountId) !== scan)];
}
