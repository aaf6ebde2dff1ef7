/**
 * Which addresses may be asked: those of the public internet, and what the operator named. Everything that reaches this machine, its
 * network, its cloud's metadata, or an IPv4 address in disguise (mapped, 6to4, NAT64, Teredo) is none of them.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** With how many bits of it are the network's. */
type AddressRange = readonly [Address, number];

/** Azure's host agent: an address of the public range that only reaches the machine's own host. */
const HOST_AGENTS = new Set(['168.63.129.16']);
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');

/** Hosts as the operator wrote them: names, addresses, networks (10.0.0.0/8). */
export function createAddressRules(allowed: readonly string[]) {
  const networks = allowed.map(networkOf).filter((network) => network !== null);
  const hosts = new Set(allowed.filter((entry) => networkOf(entry) === null).map((entry) => entry.toLowerCase()));
  const inNetworks = (address: Address): boolean =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return {
    /** Whether the operator named this host: then plain HTTP and any port are taken. `hostname` as in a URL (IPv6 in brackets). */
    names(hostname: string) {
      const literal = literalOf(hostname);
      return literal === null ? hosts.has(bare(hostname)) : inNetworks(literal);
    },
    /** Whether a connection to `address` may be made for that host. */
    allows(hostname: string, address: string) {
      if (!ipaddr.isValid(address)) return false;
      const parsed = ipaddr.parse(address);
      if (literalOf(hostname) === null && hosts.has(bare(hostname))) return true;
      return inNetworks(parsed) || isPublic(parsed);
    },
  };
}

/** An address that a URL's host is; null for a name. URLs have put hexadecimal, octal and short forms into the usual one. */
export function literalOf(hostname: string): Address | null {
  const text = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(text) ? ipaddr.parse(text) : null;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // Beyond 2000::/3 nothing is given out: ::a.b.c.d is an IPv4 address.
  return address.kind() === 'ipv4'
    ? !HOST_AGENTS.has(address.toString())
    : (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

/** `localhost.` is `localhost`. */
const bare = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '');

function networkOf(entry: string): AddressRange | null {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const address = literalOf(entry);
  return address === null ? null : [address, address.kind() === 'ipv4' ? 32 : 128];
}
