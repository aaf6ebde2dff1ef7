/** A DAO counted all at once, independent of the service: balances are replayed, and each whole token of power is a chip that somebody takes. */
export type Side = 'for' | 'against';
export interface ModelDelegation {
  readonly from: number;
  readonly to: number;
  readonly units: bigint;
}
export interface ModelSnapshot {
  /** In the smallest unit, by holder. */
  readonly balances: readonly bigint[];
  /** The oldest first. */
  readonly delegations: readonly ModelDelegation[];
}
export interface ModelBallot {
  readonly holder: number;
  readonly vote: Side;
  readonly power: bigint;
}

export const ONE = 100_000_000n;
export const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((all, one) => all + one, 0n);

export function modelPower({ balances, delegations }: ModelSnapshot, holder: number) {
  const given = delegations.filter(({ from }) => from === holder);
  const delegated = sum(given.map(({ units }) => units));
  return {
    delegated,
    own: (balances[holder]! - delegated) / ONE,
    out: sum(given.map(({ units }) => units / ONE)),
    in: sum(delegations.filter(({ to }) => to === holder).map(({ units }) => units / ONE)),
  };
}

/** Who counts with each chip; nobody counts with one that is another's. */
export function modelTally(snapshot: ModelSnapshot, ballots: readonly ModelBallot[]): Record<Side, bigint> {
  const last = new Map(ballots.map((ballot) => [ballot.holder, ballot]));
  const given = snapshot.delegations.map((one) => ({
    ...one,
    chips: Array<number | null>(Number(one.units / ONE)).fill(null),
  }));
  const wanted = new Map<number, number>();
  const sums = { for: 0n, against: 0n };
  for (const [holder, { power, vote }] of last) {
    let rest = Number(power);
    const own = Math.min(rest, Number(modelPower(snapshot, holder).own));
    rest -= own;
    sums[vote] += BigInt(own);
    for (const { chips } of given.filter(({ from }) => from === holder))
      for (let at = 0; at < chips.length && rest > 0; at++, rest--) chips[at] = holder;
    wanted.set(holder, rest);
  }
  for (const [holder, many] of wanted) {
    let rest = many;
    for (const { chips } of given.filter(({ to }) => to === holder))
      for (let at = 0; at < chips.length && rest > 0; at++)
        if (chips[at] === null) {
          chips[at] = holder;
          rest--;
        }
  }
  for (const by of given.flatMap(({ chips }) => chips)) if (by !== null) sums[last.get(by)!.vote]++;
  return sums;
}
