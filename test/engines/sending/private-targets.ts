/** Ways to write an address that nothing may connect to unless the operator names it: for every outgoing connection of the service. */

/** As the host of a URL, or of a host and port. */
export const PRIVATE_HOSTS: readonly string[] = [
  // Loopback: dotted, short, decimal, octal, hexadecimal, mixed, with zeros, with dots behind it.
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '017700000001', '0x7f000001', '0x7f.1'],
  ...[
    '0177.0.0.1',
    '0177.0.0.01',
    '127.0.0.0x1',
    '0x7f.0x0.0x0.0x1',
    '00000177.0.0.1',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '0x0',
  ],
  // Digits and dots of other scripts, which URLs take for their own.
  ...['１２７.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '𝟏𝟐𝟕.0.0.1', '%31%32%37.0.0.1'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2002:7f00:0001::1]', '[2001:0:7f00:1::]', '[2001::1]', '[100::1]'],
  // Private, shared and link-local networks; the metadata services of clouds.
  ...[
    '10.0.0.1',
    '10.1',
    '0xa.1',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1',
    '100.64.0.1',
  ],
  ...['100.127.255.254', '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518'],
  ...[
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fc00::1]',
    '[fdff::1]',
    '[fec0::1]',
  ],
  ...['168.63.129.16', '192.0.0.192', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::1]'],
  // Multicast, broadcast, reserved, documentation.
  ...[
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    '240.0.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
  ],
  ...['[ff02::1]', '[ff0e::1]', '[2001:db8::1]', '[3fff::1]', '[4000::1]'],
];

/** URLs whose host is not the one that is read first. `PORT`: that of a server here. */
export const TRICKY_URLS: readonly string[] = [
  ...[
    'https://siem.example.com@127.0.0.1:PORT/',
    'https://siem.example.com:443@127.0.0.1:PORT/',
    'https://a:b@127.0.0.1:PORT/',
  ],
  ...[
    'https://127.0.0.1:PORT#@siem.example.com/',
    'https://127.0.0.1:PORT?@siem.example.com/',
    'https://127.0.0.1:PORT\\@siem.example.com/',
  ],
  ...[
    'https:127.0.0.1:PORT',
    'https:/127.0.0.1:PORT',
    'https:\\\\127.0.0.1:PORT',
    'https:///127.0.0.1:PORT',
    'https://127.0.0.1\t:PORT/',
  ],
  ...[
    'https://127.0.\n0.1:PORT/',
    ' https://127.0.0.1:PORT/',
    'https://[fe80::1%25lo]:PORT/',
    'https://[::1%lo]:PORT/',
    'http://siem.example.com:PORT/',
  ],
  ...[
    'https://siem.example.com:22/',
    'https://siem.example.com:80/',
    'https://siem.example.com:0/',
    'https://siem.example.com:65536/',
  ],
  ...[
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/',
    'ftp://127.0.0.1:PORT/',
    'data:text/plain,x',
    'unix:/run/x.sock',
    '//127.0.0.1:PORT/',
  ],
];

/** What a name may answer. */
export const PRIVATE_ADDRESSES: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
  ],
  ...[
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%lo',
    'fc00::1',
    'fd00:ec2::254',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'ff02::1',
    'not an address',
    '',
  ],
];
