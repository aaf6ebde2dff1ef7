/** The neighbourhood of an address, whose owner can take any address in it at will: IPv4 by /24, IPv6 by /64. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export function addressClass(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  const octets = plain.split('.');
  if (octets.length === 4) return `${octets.slice(0, 3).join('.')}.0/24`;
  const [head = '', tail] = (plain.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':');
    while (groups.length + behind.length < 8) groups.push('0');
    groups.push(...behind);
  }
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
