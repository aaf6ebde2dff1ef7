import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import { startTestNode } from '../builders/regtest-node.ts';
import { reorgNode } from '../builders/reorg-node.ts';
import { collectedLog } from '../secrets/collected.ts';
import { describeChainSource } from './chain-source.ts';

describeChainSource('Bitcoin Core RPC', async () => {
  const node = await startTestNode({ wallet: false });
  const source = createBitcoindSource({
    rpcUrl: node.rpcUrl,
    cookieFile: node.cookieFile,
    zmqUrls: node.zmqUrls,
    network: 'regtest',
    log: collectedLog(),
  });
  return {
    source,
    mine: async (count, scriptPubKey) => {
      await node.rpc('generatetodescriptor', count, `raw(${scriptPubKey})`);
    },
    reorg: (depth) => reorgNode(node, depth),
    outage: { begin: () => node.kill(), end: () => node.restart() },
    async close() {
      await source.close();
      await node.stop();
    },
  };
});
