/** Where a node is, as clients write it: host:port, an http(s) URL (Esplora), an onion address, or a bare host name. */
import type { Network } from '../network.ts';

/** Bitcoin Core's default ports for P2P (src/kernel/chainparams.cpp). */
export const P2P_PORTS: Readonly<Record<Network, number>> = {
  mainnet: 8333,
  testnet4: 48333,
  signet: 38333,
  regtest: 18444,
};

export interface NodeAddress {
  readonly kind: 'p2p' | 'esplora';
  /** The same for every way to write it; read again it is the same address. */
  readonly target: string;
  /** As in a URL: lower case, IPv4 in the usual form, IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
}

export const NODE_PROBLEM =
  'must be host:port, a host name, an onion address, or an http(s) URL without user, password, query and fragment';

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s\p{Cc}:/?#@\\[\]%]+)(?::(\d{1,5}))?$/iu;
const HOST = /^(\[[0-9a-f:.]+\]|(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/;
const ONION = /\.onion\.?$/;

/** Where a node's default port is the network's. `onion`: such a one has no address outside of Tor. null: it is no node. */
export function nodeAddress(text: string, network: Network): NodeAddress | 'onion' | null {
  return /^https?:\/\//i.test(text) ? ofUrl(text) : ofHost(text, P2P_PORTS[network]);
}

function ofUrl(text: string): NodeAddress | 'onion' | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, search, hash, origin, pathname } = new URL(text);
  if (!HOST.test(hostname) || username + password + search + hash !== '' || /[?#\s\p{Cc}]/u.test(text)) return null;
  if (ONION.test(hostname)) return 'onion';
  const usual = protocol === 'https:' ? 443 : 80;
  return {
    ...{ kind: 'esplora', target: origin + pathname.replace(/\/+$/, ''), host: hostname },
    port: port === '' ? usual : Number(port),
  };
}

function ofHost(text: string, defaultPort: number): NodeAddress | 'onion' | null {
  const isBareV6 = /:.*:/.test(text) && !text.startsWith('[');
  const [, named = '', port = String(defaultPort)] = HOST_AND_PORT.exec(isBareV6 ? `[${text}]` : text) ?? [];
  if (named === '' || !URL.canParse(`http://${named}`)) return null;
  const host = new URL(`http://${named}`).hostname;
  if (!HOST.test(host) || Number(port) < 1 || Number(port) > 65_535) return null;
  return ONION.test(host) ? 'onion' : { kind: 'p2p', target: `${host}:${Number(port)}`, host, port: Number(port) };
}
