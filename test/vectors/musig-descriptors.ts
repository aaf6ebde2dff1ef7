/**
 * musig() descriptors and aggregate keys with what they come to. Sources: BIP390 and BIP328, "Test Vectors"
 * (https://github.com/bitcoin/bips), and Bitcoin Core 30, src/test/descriptor_tests.cpp. Private keys are given by their public ones.
 */
const PLAIN = [
  '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
  '03dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
  '023590a94e768f8e1815c2f24b4d80a8e3149316c3518ce7b7ad338368d038ca66',
];
const PLAIN_MUSIG = `musig(${PLAIN.join(',')})`;
const A =
  'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL';
const B =
  'xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y';
const X_ONLY = PLAIN[0]!.slice(2);
const UNCOMPRESSED =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';

/** A descriptor, and its scripts from index 0 on. */
export const MUSIG_DESCRIPTORS: readonly (readonly [descriptor: string, ...scripts: string[]])[] = [
  [`rawtr(${PLAIN_MUSIG})`, '5120789d937bade6673538f3e28d8368dda4d0512f94da44cf477a505716d26a1575'],
  [`tr(${PLAIN_MUSIG})`, '512079e6c3e628c9bfbce91de6b7fb28e2aec7713d377cf260ab599dcbc40e542312'],
  [
    `rawtr(musig(${A},${B})/0/*)`,
    '51209508c08832f3bb9d5e8baf8cb5cfa3669902e2f2da19acea63ff47b93faa9bfc',
    '51205ca1102663025a83dd9b5dbc214762c5a6309af00d48167d2d6483808525a298',
    '51207dbed1b89c338df6a1ae137f133a19cae6e03d481196ee6f1a5c7d1aeb56b166',
  ],
  [
    `tr(musig(${A},${B})/0/*,pk(${X_ONLY}))`,
    '51201d377b637b5c73f670f5c8a96a2c0bb0d1a682a1fca6aba91fe673501a189782',
    '51208950c83b117a6c208d5205ffefcf75b187b32512eb7f0d8577db8d9102833036',
    '5120a49a477c61df73691b77fcd563a80a15ea67bb9c75470310ce5c0f25918db60d',
  ],
  [
    `tr(${X_ONLY},pk(musig(${A},${B})/0/*))`,
    '512068983d461174afc90c26f3b2821d8a9ced9534586a756763b68371a404635cc8',
    '5120368e2d864115181bdc8bb5dc8684be8d0760d5c33315570d71a21afce4afd43e',
    '512097a1e6270b33ad85744677418bae5f59ea9136027223bc6e282c47c167b471d5',
  ],
  [`tr(musig(${A}/1,${A}/1)/2)`, '5120a17ceacd6422bd5ffd9f165807b254b7d68ad39f179cc4f11545a6835227e97c'],
  // Bitcoin Core's own.
  [
    `rawtr(musig(${A}/0/*,${B}/0/*))`,
    '5120754ccfd18ed4051de3b1144b6145cad4b2999387338dfb85ec392f2963ceaa3a',
    '5120be80016576d2691ccc4077bc91d7ece4db34667d6e84829d5e08480cd4bc0b78',
    '5120b7139e2f8b92570ad96c40c3b5e6557a5194e288a96df6f29980523365239d58',
  ],
  [`rawtr(musig(${A}/0,${B})/1)`, '51200e355f2bc9e754268e12bbd337499c2f7ffafc3101c41792709007b25a862532'],
];

/** Refused, with a word of why. */
export const REFUSED_MUSIG_DESCRIPTORS: readonly (readonly [descriptor: string, why: string])[] = [
  ...['pk(M)', 'pkh(M)', 'wpkh(M)', 'combo(M)', 'sh(wpkh(M))', 'sh(wsh(pk(M)))', 'wsh(pk(M))'].map(
    (form) => [form.replace('M', PLAIN_MUSIG), 'musig() stands in tr() and rawtr() only'] as const,
  ),
  ...['wsh(M)', 'sh(M)', 'M', `tr(${X_ONLY},M)`].map(
    (form) => [form.replace('M', PLAIN_MUSIG), 'musig() is a key, not a script'] as const,
  ),
  [`tr(${PLAIN_MUSIG}/0/0)`, 'takes extended keys'],
  [`tr(musig(${PLAIN[0]},${B})/1)`, 'takes extended keys'],
  [`tr(musig(${A}/*,${B})/0/*)`, 'not within'],
  [`tr(musig(${A}/0/*,${B})/1)`, 'not within'],
  [`tr(musig(${A}/*,${B}/*)/1/2)`, 'not within'],
  [`tr(musig(${A}/<0;1>,${B})/<2;3>)`, 'multipath'],
  [`tr(musig(${A}/<0;1>,${B})/0)`, 'multipath'],
  [`tr(musig(${A}/<0;1>/*,${B}/<0;1;2>/*))`, 'same number of values'],
  [`tr(musig(${A},${B})/<0;1>/<2;3>/*)`, 'at most one multipath step'],
  [`tr(musig(${A},${B})/0h/*)`, 'no hardened steps'],
  [`tr(musig(${A},${B})/0/*h)`, 'no hardened children'],
  [`tr(musig(${A},${B})/*/0)`, 'last step'],
  [`tr(musig(${PLAIN[0]},musig(${PLAIN[1]},${PLAIN[2]})))`, 'cannot stand within musig()'],
  [`tr([d34db33f]${PLAIN_MUSIG})`, 'behind an origin'],
  ['tr(musig())', 'at least one key'],
  [`tr(musig(${PLAIN[0]},))`, 'a key is written'],
  [`tr(musig(${PLAIN[0]})x)`, 'musig() is written'],
  [`tr(musig(${PLAIN[0]},${X_ONLY}))`, '33 bytes'],
  [`tr(musig(${UNCOMPRESSED},${B}))`, 'uncompressed'],
  [`tr(musig(${PLAIN[0]}`, 'script expression'],
];

/** Keys in the order of aggregation, what they add up to, and that as BIP328's extended key. */
export const AGGREGATE_KEYS: readonly { readonly keys: readonly string[]; aggregate: string; xpub: string }[] = [
  {
    keys: ['03935f972da013f80ae011890fa89b67a27b7be6ccb24d3274d18b2d4067f261a9', PLAIN[0]!],
    aggregate: '0354240c76b8f2999143301a99c7f721ee57eee0bce401df3afeaa9ae218c70f23',
    xpub: 'xpub661MyMwAqRbcFt6tk3uaczE1y6EvM1TqXvawXcYmFEWijEM4PDBnuCXwwXEKGEouzXE6QLLRxjatMcLLzJ5LV5Nib1BN7vJg6yp45yHHRbm',
  },
  {
    keys: PLAIN,
    aggregate: '0290539eede565f5d054f32cc0c220126889ed1e5d193baf15aef344fe59d4610c',
    xpub: 'xpub661MyMwAqRbcFt6tk3uaczE1y6EvM1TqXvawXcYmFEWijEM4PDBnuCXwwVk5TFJk8Tw5WAdV3DhrGfbFA216sE9BsQQiSFTdudkETnKdg8k',
  },
  {
    keys: [
      '02dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
      PLAIN[2]!,
      PLAIN[0]!,
      '03935f972da013f80ae011890fa89b67a27b7be6ccb24d3274d18b2d4067f261a9',
    ],
    aggregate: '022479f134cdb266141dab1a023cbba30a870f8995b95a91fc8464e56a7d41f8ea',
    xpub: 'xpub661MyMwAqRbcFt6tk3uaczE1y6EvM1TqXvawXcYmFEWijEM4PDBnuCXwwUvaZYpysLX4wN59tjwU5pBuDjNrPEJbfxjLwn7ruzbXTcUTHkZ',
  },
];
