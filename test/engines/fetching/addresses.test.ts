import { describe, expect, it } from 'vitest';
import { createAddressRules, literalOf } from '../../../src/engines/fetching/addresses.ts';

const none = createAddressRules([]);

const REFUSED = {
  'this machine': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::'],
  'private networks': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fc00::1',
    'fd12::1',
    'fec0::1',
  ],
  'link-local, metadata among it': [
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '168.63.129.16',
    '192.0.0.192',
  ],
  'multicast, broadcast, reserved': [
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '240.0.0.1',
    'ff02::1',
    '4000::1',
    '100::1',
  ],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '198.18.0.1'],
  'IPv4 in disguise': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001::1',
  ],
  'what is no address': ['', 'localhost', '1.2.3.4.5'],
};

describe('addresses that oracles are asked at', () => {
  it.each(Object.entries(REFUSED))('are not %s', (_, addresses) => {
    for (const address of addresses) expect(none.allows('oracle.example.com', address), address).toBe(false);
  });

  it('are the public ones', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450::1'])
      expect(none.allows('oracle.example.com', address), address).toBe(true);
  });

  it('are those besides whose host or network the operator named, and no others', () => {
    const rules = createAddressRules(['Oracle.internal', '10.1.0.0/16', '::1']);
    expect(rules.allows('oracle.internal', '192.168.1.1')).toBe(true);
    expect(rules.allows('ORACLE.internal.', '192.168.1.1')).toBe(true);
    expect(rules.allows('evil.oracle.internal', '192.168.1.1')).toBe(false);
    expect(rules.allows('another.example', '10.1.2.3')).toBe(true);
    expect(rules.allows('another.example', '10.2.2.3')).toBe(false);
    expect(rules.allows('[::1]', '::1')).toBe(true);
    // A mapped form of what is named is not what is named.
    expect(rules.allows('another.example', '::ffff:10.1.2.3')).toBe(false);
    expect([
      rules.names('10.1.9.9'),
      rules.names('10.2.9.9'),
      rules.names('oracle.internal'),
      rules.names('[::1]'),
    ]).toEqual([true, false, true, true]);
  });

  it('are seen in a URL, however they are written', () => {
    const written = [
      'http://0x7f.1/',
      'http://2130706433/',
      'http://0177.0.0.1/',
      'http://127.1/',
      'http://127.0.0.1./',
      'http://１２７.0.0.1/',
    ];
    for (const url of written) expect(literalOf(new URL(url).hostname)?.toString(), url).toBe('127.0.0.1');
    expect(literalOf(new URL('http://[::ffff:7f00:1]/').hostname)?.range()).toBe('ipv4Mapped');
    expect(literalOf('oracle.example.com')).toBeNull();
  });
});
