import type { NodePorts } from './node-state.ts';

export interface NodeArgumentsOptions {
  dataDir: string;
  ports: NodePorts;
  /** Bitcoin Knots relays less than Bitcoin Core unless told to follow Core's policy. */
  isKnots: boolean;
  /** bitcoind's own wallet. */
  wallet: boolean;
  extraArgs: readonly string[];
}

/** The command line of a regtest node of our own: loopback only, both indexes, ZMQ, no peers. */
export function nodeArguments({ dataDir, ports, isKnots, wallet, extraArgs }: NodeArgumentsOptions): string[] {
  const zmq = `tcp://127.0.0.1:${ports.zmqPort}`;
  return [
    ...['-regtest', `-datadir=${dataDir}`, '-server', '-listen=0', '-connect=0', '-dnsseed=0'],
    ...['-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', `-rpcport=${ports.rpcPort}`, '-rpcworkqueue=512'],
    ...['-txindex=1', '-blockfilterindex=1', '-fallbackfee=0.0001', '-printtoconsole=0', '-dbcache=64'],
    // An old regtest tip is no initial download: ZMQ is silent during one.
    '-maxtipage=3153600000',
    ...[`-zmqpubhashblock=${zmq}`, `-zmqpubrawtx=${zmq}`, '-zmqpubrawtxhwm=20000'],
    ...(isKnots ? ['-corepolicy'] : []),
    ...(wallet ? [] : ['-disablewallet=1']),
    ...extraArgs,
  ];
}
