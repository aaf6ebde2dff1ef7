/** Nodes of networks: what is due by account in turn, and a row that goes only when nobody names it. */
import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { StoreContext } from '../store.ts';

export function nodeProbeTests(context: StoreContext): void {
  const put = (accountId: AccountId, targets: readonly string[], now: number, networkId = `net_${accountId}`) =>
    context.store.write(async (tx) => {
      if ((await tx.networks.find(accountId, networkId)) === null)
        await tx.networks.insert({ accountId, networkId, name: 'n', createdAt: now, updatedAt: now });
      const node = (target: string, position: number) => ({ node: target, target, position, addedAt: now });
      await tx.networks.putNodes(
        accountId,
        networkId,
        targets.map((target, at) => ({ accountId, networkId, ...node(target, at) })),
      );
      await tx.nodeProbes.ask(targets, now);
    });
  const due = async (now: number, ofEach = 9, all = 99) =>
    (await context.store.read.nodeProbes.due(now, { ofEach, all })).map(({ accountId, target }) => [accountId, target]);

  it('are due for each account that names them, accounts in turn', async () => {
    await put('acc_one', ['a:1', 'b:1', 'c:1'], 10);
    await put('acc_two', ['c:1', 'd:1'], 20);
    expect(await due(9)).toEqual([]);
    const one = ['a:1', 'b:1', 'c:1'].map((target) => ['acc_one', target]);
    expect(await due(20)).toEqual([one[0], ['acc_two', 'c:1'], one[1], ['acc_two', 'd:1'], one[2]]);
    expect(await due(20, 1)).toEqual([one[0], ['acc_two', 'c:1']]);
    expect(await due(20, 9, 1)).toEqual([one[0]]);
    const { networks } = context.store.read;
    expect(await networks.countNodes('acc_one')).toBe(3);
    expect((await networks.nodes('acc_two', ['net_acc_one', 'net_acc_two'])).map(({ node }) => node)).toEqual([
      'c:1',
      'd:1',
    ]);
  });

  it('are due again at the earliest a minute after they were probed, whoever names them anew', async () => {
    await put('acc_one', ['a:1'], 10);
    const { nodeProbes } = context.store.read;
    const probed = {
      probedAt: 100_000,
      nextAt: 500_000,
      failures: 3,
      problem: 'self',
      userAgent: 'x',
      lag: -1,
    } as const;
    await context.store.write((tx) => tx.nodeProbes.update('a:1', probed));
    const nextAfter = async (now: number) => {
      await put('acc_two', ['a:1'], now);
      return (await nodeProbes.find('a:1'))?.nextAt;
    };
    expect(await nextAfter(100_001)).toBe(160_000);
    expect(await nextAfter(150_000)).toBe(160_000);
    expect(await nextAfter(170_000)).toBe(160_000);
    await context.store.write((tx) => tx.nodeProbes.update('a:1', { nextAt: 500_000 }));
    expect(await nextAfter(170_000)).toBe(170_000);
    expect(await nodeProbes.among(['a:1', 'nowhere:1'])).toEqual([
      { target: 'a:1', protocolVersion: null, claimedHeight: null, ...probed, nextAt: 170_000 },
    ]);
  });

  it('are forgotten when nobody names them', async () => {
    await put('acc_one', ['a:1', 'b:1'], 10);
    await put('acc_two', ['b:1'], 10);
    const forget = (...targets: string[]) => context.store.write((tx) => tx.nodeProbes.forget(targets, 70_000));
    await context.store.write((tx) => tx.nodeProbes.update('a:1', { probedAt: 10_001 }));
    await put('acc_one', [], 11);
    expect(await due(10)).toEqual([
      [null, 'a:1'],
      ['acc_two', 'b:1'],
    ]);
    await forget('a:1');
    expect(await due(10)).toHaveLength(2);
    await context.store.write((tx) => tx.nodeProbes.update('a:1', { probedAt: 10_000 }));
    await Promise.all([forget('b:1', 'a:1'), forget('a:1', 'b:1', 'c:1')]);
    expect(await due(10)).toEqual([['acc_two', 'b:1']]);
    await context.store.write((tx) => tx.networks.delete('acc_two', 'net_acc_two'));
    expect(await context.store.read.networks.find('acc_two', 'net_acc_two')).toBeNull();
    expect(await due(10)).toEqual([[null, 'b:1']]);
  });
}
