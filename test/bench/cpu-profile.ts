/** Shares of a sampled CPU profile, by the file that the innermost known frame is in. */
import type { Profiler } from 'node:inspector';

/** Prints each part's share and its microseconds of `microsPerRequest`; idle time is left out, and the profiler's own start. */
export function printCosts(
  profile: Profiler.Profile,
  microsPerRequest: number,
  parts: readonly (readonly [string, RegExp])[],
): void {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const partOf = new Map<number, string>();
  const visit = (id: number, inherited: string): void => {
    const node = byId.get(id)!;
    const { url, functionName } = node.callFrame;
    const part =
      functionName === '(idle)' || url === 'node:inspector'
        ? 'idle'
        : functionName === '(garbage collector)'
          ? 'garbage collection'
          : (parts.find(([, pattern]) => pattern.test(url))?.[0] ?? inherited);
    partOf.set(id, part);
    for (const child of node.children ?? []) visit(child, part);
  };
  visit(profile.nodes[0]!.id, 'other');
  const times = new Map<string, number>();
  profile.samples?.forEach((id, index) => {
    const part = partOf.get(id)!;
    if (part !== 'idle') times.set(part, (times.get(part) ?? 0) + profile.timeDeltas![index]!);
  });
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  for (const [part, time] of [...times].toSorted((a, b) => b[1] - a[1])) {
    const share = time / total;
    console.log(
      `  ${part.padEnd(38)} ${(100 * share).toFixed(1).padStart(5)} %  ${(share * microsPerRequest).toFixed(1).padStart(5)} µs`,
    );
  }
}
