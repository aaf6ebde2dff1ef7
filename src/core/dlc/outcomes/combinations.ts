/** Which oracles decide together (dlcspecs MultiOracle.md, "t-of-n Oracles"). */

/** How many ways there are to choose `chosen` of `count`; `cap` where there are more. */
export function countCombinations(count: number, chosen: number, cap: number): number {
  if (chosen < 0 || chosen > count) return 0;
  let ways = 1;
  for (let i = 1; i <= Math.min(chosen, count - chosen); i++) {
    ways = (ways * (count - Math.min(chosen, count - chosen) + i)) / i;
    if (ways > cap) return cap;
  }
  return Math.round(ways);
}

/** Every choice of `chosen` positions below `count`, each ascending, in lexicographic order: preferred oracles first. */
export function combinations(count: number, chosen: number): number[][] {
  const all: number[][] = [];
  const grow = (from: number, picked: readonly number[]): void => {
    if (picked.length === chosen) {
      all.push([...picked]);
      return;
    }
    for (let next = from; next <= count - (chosen - picked.length); next++) grow(next + 1, [...picked, next]);
  };
  grow(0, []);
  return all;
}
