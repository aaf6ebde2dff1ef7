import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createNetworkService } from '../../../src/services/networks/network-service.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

it('keeps no row of a node that was replaced or deleted before it was probed', async () => {
  const { store, close } = await openTemporarySqlite();
  const networks = createNetworkService({
    store,
    network: 'regtest',
    clock: () => 1_000_000,
    randomBytes,
    onAsked() {},
  });
  await store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  const nodes = ['10.0.0.1:18444', '10.0.0.2:18444', '10.0.0.3:18444'];
  const kept = async () => (await store.read.nodeProbes.among(nodes)).map(({ target }) => target).sort();
  const context = requestContext({ accountId: 'acc_one' });
  const { networkId } = await networks.create({ name: 'x', nodes: nodes.slice(0, 2) }, context);
  expect(await kept()).toEqual(nodes.slice(0, 2));
  await networks.replace(networkId, { name: 'x', nodes: nodes.slice(1) }, context);
  expect(await kept()).toEqual(nodes.slice(1));
  await networks.delete(networkId, context);
  expect(await kept()).toEqual([]);
  await close();
});
