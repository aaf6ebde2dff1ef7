import { describe, expect, it } from 'vitest';
import { nodeAddress } from '../../../src/core/nodes/node-address.ts';

const targetOf = (text: string) => {
  const address = nodeAddress(text, 'mainnet');
  return address === null || address === 'onion' ? address : address.target;
};

describe('nodeAddress', () => {
  it.each([
    ['node.example.com', 'node.example.com:8333'],
    ['Node.Example.COM:08333', 'node.example.com:8333'],
    ['node1', 'node1:8333'],
    ['bitcoin_core:18444', 'bitcoin_core:18444'],
    ['203.0.113.9', '203.0.113.9:8333'],
    // Other ways to write 127.0.0.1, which rules for addresses must see.
    ['0x7f.1:80', '127.0.0.1:80'],
    ['2130706433', '127.0.0.1:8333'],
    ['2001:db8::1', '[2001:db8::1]:8333'],
    ['[2001:DB8:0::1]:9', '[2001:db8::1]:9'],
    ['https://Esplora.example.com/api/', 'https://esplora.example.com/api'],
    ['http://10.0.0.1:3002', 'http://10.0.0.1:3002'],
    ['https://example.com:443', 'https://example.com'],
    ['expyuzz4wqqyqhjnexample.onion:8333', 'onion'],
    ['EXAMPLE.ONION.', 'onion'],
    ['https://example.onion/api', 'onion'],
  ])('reads %s', (text, target) => {
    expect(targetOf(text)).toBe(target);
    if (target !== 'onion') expect(targetOf(target)).toBe(target);
  });

  it.each([
    ...[
      '',
      ' ',
      'a b',
      'host:0',
      'host:65536',
      'host:port',
      'host:',
      ':8333',
      'user@host',
      'host/path',
      'ho%73t',
      'a..b',
    ],
    ...['[::1', '[::g]', '::1:::', '256.1.1.1', 'https://', 'https://u:p@example.com', 'https://example.com/?a=1'],
    ...[
      'https://example.com/#',
      'ftp://example.com',
      'https://exa mple.com',
      `${'a.'.repeat(127)}aa`,
      'host\n',
      'host\u0000',
    ],
  ])('refuses %j', (text) => expect(targetOf(text)).toBeNull());
});
