import { createEsploraSource } from '../../src/chain/esplora/create-esplora-source.ts';
import { startEsploraServer } from '../builders/esplora-server.ts';
import { startTestNode } from '../builders/regtest-node.ts';
import { reorgNode } from '../builders/reorg-node.ts';
import { collectedLog } from '../secrets/collected.ts';
import { describeChainSource } from './chain-source.ts';

describeChainSource('Esplora', async () => {
  const node = await startTestNode({ wallet: false });
  const server = await startEsploraServer(node);
  const source = createEsploraSource({ url: server.url, network: 'regtest', log: collectedLog() });
  return {
    source,
    mine: async (count, scriptPubKey) => {
      await node.rpc('generatetodescriptor', count, `raw(${scriptPubKey})`);
    },
    reorg: (depth) => reorgNode(node, depth),
    outage: { begin: () => server.goAway(), end: () => server.comeBack() },
    async close() {
      await source.close();
      await server.close();
      await node.stop();
    },
  };
});
