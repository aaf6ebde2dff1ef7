/**
 * The prober on Node's sockets. No address is connected to before it is checked, nor for one account more often than every few seconds, under
 * whatever names.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { hex } from '../../core/bytes.ts';
import { GENESIS_HASHES } from '../../core/genesis.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { createHandshake, type NodeClaims } from '../../core/nodes/handshake.ts';
import { type NodeAddress, P2P_PORTS } from '../../core/nodes/node-address.ts';
import { NodeRefused } from '../../core/nodes/node-refused.ts';
import { createAddressRules } from '../fetching/addresses.ts';
import type { Resolve } from '../fetching/checked-lookup.ts';
import { createSending } from '../sending/create-sending.ts';
import { createDialing } from '../sending/dial.ts';
import { SendFailed } from '../sending/sending.ts';
import type { Probing } from './probing.ts';
import { resolveAddresses } from './resolve-addresses.ts';

const REPLY_BYTES = 4_096;
/** Of an account and an address: kept for no longer than `apartMs`, and never more. */
const MAX_KEPT = 10_000;

export interface ProbingOptions {
  readonly network: Network;
  /** Addresses and networks that may be connected to though they are private. */
  readonly allowedNetworks: readonly string[];
  /** Besides the network's own for P2P, and 443 and 80 of URLs. */
  readonly allowedPorts: readonly number[];
  readonly userAgent: string;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly clock: () => number;
  readonly resolve?: Resolve;
  readonly connectMs?: number;
  /** A probe, whatever the node does. */
  readonly totalMs?: number;
  /** Between two connections to one address and port, of each account: its many names of an address take no turn of others. */
  readonly apartMs?: number;
}

export function createProbing(options: ProbingOptions): Probing {
  const { network, allowedNetworks, connectMs = 5_000, totalMs = 10_000, apartMs = 5_000 } = options;
  const { resolve = resolveAddresses } = options;
  const rules = createAddressRules(allowedNetworks);
  const nonces = new Set<string>();
  const askedAt = new Map<string, number>();

  function isAllowed({ kind, port, target }: NodeAddress, sending: ReturnType<typeof createSending>): boolean {
    if (options.allowedPorts.includes(port)) return kind === 'p2p' || sending.urlProblem(target) === null;
    if (kind === 'p2p') return port === P2P_PORTS[network];
    return port === (target.startsWith('https:') ? 443 : 80) && sending.urlProblem(target) === null;
  }

  /** One of the host's addresses. Whether a name is there, or has a private address, is nothing that an account learns. */
  async function chosen({ host }: NodeAddress, nth: number, signal: AbortSignal): Promise<LookupAddress> {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host;
    const found = isIP(literal) > 0 ? [{ address: literal, family: isIP(literal) }] : await resolve(host, signal);
    signal.throwIfAborted();
    const one = found[nth % found.length];
    if (one === undefined || !found.every(({ address }) => rules.allows(host, address))) {
      throw new NodeRefused('not_allowed');
    }
    return one;
  }

  function isTooSoon(accountId: AccountId, address: string, port: number): boolean {
    const now = performance.now();
    const key = `${accountId} ${address} ${port}`;
    if (now - (askedAt.get(key) ?? Number.NEGATIVE_INFINITY) < apartMs) return true;
    for (const [one, at] of askedAt) {
      if (askedAt.size < MAX_KEPT && now - at < apartMs) break;
      askedAt.delete(one);
    }
    askedAt.delete(key);
    askedAt.set(key, now);
    return false;
  }

  async function shake(socket: Socket, signal: AbortSignal): Promise<NodeClaims> {
    const nonce = options.randomBytes(8);
    const key = hex(nonce);
    nonces.add(key);
    const { userAgent, clock } = options;
    const handshake = createHandshake({ network, nonce, userAgent, at: clock(), isOwn: (one) => nonces.has(one) });
    try {
      return await new Promise((resolved, rejected) => {
        const end = (): void => rejected(new NodeRefused('no_handshake'));
        socket.once('close', end).once('error', end);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
        socket.on('data', (chunk) => {
          try {
            const { send, claims } = handshake.receive(chunk);
            if (send !== null) socket.write(send);
            if (claims !== null) resolved(claims);
          } catch (error) {
            socket.destroy();
            rejected(error);
          }
        });
        socket.write(handshake.hello);
      });
    } finally {
      nonces.delete(key);
      socket.removeAllListeners('data').destroy();
    }
  }

  async function askEsplora(url: string, sending: ReturnType<typeof createSending>, signal: AbortSignal) {
    const get = async (path: string): Promise<string> => {
      const asked = { method: 'GET', url: url + path, headers: {}, body: null, ca: null } as const;
      const { status, body } = await sending.http({ ...asked, replyBytes: REPLY_BYTES }, { signal });
      if (status !== 200) throw new NodeRefused('no_handshake');
      return body.trim();
    };
    const genesis = await get('/block-height/0');
    if (genesis !== GENESIS_HASHES[network]) {
      const isOther = (Object.values(GENESIS_HASHES) as string[]).includes(genesis);
      throw new NodeRefused(isOther ? 'other_network' : 'no_handshake');
    }
    const height = await get('/blocks/tip/height');
    if (!/^\d{1,9}$/.test(height)) throw new NodeRefused('no_handshake');
    return { protocolVersion: null, userAgent: null, claimedHeight: Number(height) };
  }

  return {
    async probe(node, { accountId, nth }, ending) {
      const signal = AbortSignal.any([ending, AbortSignal.timeout(totalMs)]);
      // The address that was checked is the one that is connected to.
      const only = { ...{ allowedNetworks, connectMs, totalMs }, resolve: async () => [address] };
      let address: LookupAddress;
      const sending = createSending(only);
      if (!isAllowed(node, sending)) throw new NodeRefused('not_allowed');
      try {
        address = await chosen(node, nth, signal);
        if (isTooSoon(accountId, address.address, node.port)) return null;
        if (node.kind === 'esplora') return await askEsplora(node.target, sending, signal);
        const socket = await createDialing(only).dial({ hostname: node.host, port: node.port, tls: null }, { signal });
        return await shake(socket, signal);
      } catch (error) {
        ending.throwIfAborted();
        if (error instanceof NodeRefused) throw error;
        if (!(error instanceof SendFailed) && !signal.aborted) throw error;
        const isConnected = error instanceof SendFailed && error.step !== 'resolve' && error.step !== 'connect';
        throw new NodeRefused(isConnected ? 'no_handshake' : 'no_connection');
      }
    },
  };
}
