/**
 * GET /api/v1/bitcoin/blocks/{height} through a regtest node, against the same on the simulated chain, and against the node's own getblock
 * (verbosity 1) over its RPC: answers per second, and what each computes (the service's serving thread; all of the node).
 * Run: node test/bench/block-read.ts [SECONDS [ROUNDS]]
 */
import { readFileSync } from 'node:fs';
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { startTestNode } from '../builders/regtest-node.ts';
import { silent } from '../builders/stores.ts';

const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 5);
const CONNECTIONS = 8;
const BLOCKS = 120;
const TICKS_PER_SECOND = 100;

const node = await startTestNode();
await node.mine(BLOCKS);
const chain = createBitcoindSource({
  ...{ rpcUrl: node.rpcUrl, cookieFile: node.cookieFile, zmqUrls: node.zmqUrls },
  ...{ network: 'regtest' as const, log: silent },
});
const through = await startTestApp({ chain });
const simulated = await startTestApp({ blocks: BLOCKS });

const nodeMicros = (): number => {
  const fields = readFileSync(`/proc/${node.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
};

interface Figures {
  rate: number;
  ownMicros: number;
  nodeMicros: number;
}

async function round(requests: object): Promise<Figures> {
  const [before, nodeBefore] = [process.threadCpuUsage(), nodeMicros()];
  const result = await autocannon({ connections: CONNECTIONS, duration: SECONDS, workers: 1, ...requests });
  const { user, system } = process.threadCpuUsage(before);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  const { total } = result.requests;
  return {
    rate: result.requests.average,
    ownMicros: (user + system) / total,
    nodeMicros: (nodeMicros() - nodeBefore) / total,
  };
}

const ofApp = async (app: TestApp) => ({
  url: `${await app.listen()}/api/v1/bitcoin/blocks/50`,
  headers: { authorization: `Bearer ${app.adminKey}` },
});
const hash = await node.rpc<string>('getblockhash', 50);
const sides = {
  'through the node': await ofApp(through),
  'simulated chain': await ofApp(simulated),
  "the node's getblock": {
    url: node.rpcUrl,
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(readFileSync(node.cookieFile, 'utf8').trim()).toString('base64')}` },
    body: JSON.stringify({ id: 0, method: 'getblock', params: [hash, 1] }),
  },
};
const figures = new Map<string, Figures[]>(Object.keys(sides).map((side) => [side, []]));
for (let i = 0; i <= ROUNDS; i++) {
  for (const [side, requests] of Object.entries(sides)) {
    const found = await round(requests);
    // The first round warms up.
    if (i > 0) figures.get(side)!.push(found);
  }
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
console.log(`GET one block, ${CONNECTIONS} at once, medians of ${ROUNDS} rounds of ${SECONDS} s`);
for (const [side, rounds] of figures) {
  const of = (field: keyof Figures) =>
    median(rounds.map((one) => one[field]))
      .toFixed(0)
      .padStart(6);
  console.log(`${side.padEnd(22)} ${of('rate')} /s  ${of('ownMicros')} µs here  ${of('nodeMicros')} µs in the node`);
}
await Promise.all([through.close(), simulated.close()]);
await chain.close();
await node.stop();
process.exit();
