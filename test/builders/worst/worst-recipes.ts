/** Bodies that mean as much work as an operation does for one request, where its schema alone does not make them. */
import { randomBytes } from 'node:crypto';
import { address as codec } from 'bitcoinjs-lib';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { OperationWorld } from '../operation-world.ts';

type Bodies = Readonly<Record<string, unknown>>;
type WorstRecipe = (world: OperationWorld) => Promise<Bodies> | Bodies;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const point = (): string => hex(ecc.pointFromScalar(randomBytes(32), true) as Uint8Array);
const points = (count: number): string[] => Array.from({ length: count }, point);
const varint = (count: number): string =>
  count < 0xfd ? count.toString(16).padStart(2, '0') : `fd${hex(Uint8Array.of(count & 0xff, count >> 8))}`;

const INPUT = `${'11'.repeat(32)}0000000000ffffffff`;
const OUTPUT = `e803000000000000160014${'22'.repeat(20)}`;
const transaction = (inputs: number, outputs: number): string =>
  `02000000${varint(inputs)}${INPUT.repeat(inputs)}${varint(outputs)}${OUTPUT.repeat(outputs)}00000000`;

/** Of version 0, each input with a final script of three bytes. */
const finalPsbt = (inputs: number): string => {
  const unsigned = transaction(inputs, 1);
  return `70736274ff0100fe${hex(Uint8Array.from(Buffer.from(new Uint32Array([unsigned.length / 2]).buffer)))}${unsigned}00${'0108030101aa00'.repeat(inputs)}00`;
};

/** Scripts of so many bytes that are dear to read in one way or another. */
const scripts = (bytes: number): Record<string, string> => ({
  small: '51'.repeat(bytes),
  pushes: '0101'.repeat(bytes / 2),
  'nested IF': `${'63'.repeat(bytes / 2)}${'68'.repeat(bytes / 2)}`,
  keys: `51${`21${point()}`.repeat(Math.floor((bytes - 3) / 34))}60ae`,
  data: `6a${'0401020304'.repeat(bytes / 5 - 1)}`,
});

const XPUB =
  'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';
const keys = (count: number, end = '/*'): string =>
  Array.from({ length: count }, (_, at) => `${XPUB}/${at}${end}`).join();
const tree = (leaves: string[]): string => {
  if (leaves.length === 1) return leaves[0] as string;
  const half = leaves.length >> 1;
  return `{${tree(leaves.slice(0, half))},${tree(leaves.slice(half))}}`;
};
const DESCRIPTORS = {
  sortedmulti: `wsh(sortedmulti(20,${keys(20)}))`,
  'tr with 80 leaves': `tr(${XPUB}/*,${tree(Array.from({ length: 80 }, (_, at) => `pk(${XPUB}/${at}/*)`))})`,
  multipath: `wsh(sortedmulti(10,${keys(20, '/<0;1;2;3;4;5;6;7>/*')}))`,
  'long path': `wpkh(${XPUB}${'/1'.repeat(250)}/*)`,
  miniscript: `wsh(${nested(60)})`,
};
function nested(depth: number): string {
  return depth === 0 ? `pk(${XPUB}/*)` : `or_i(${nested(depth - 1)},older(${depth}))`;
}
const each = (from: Readonly<Record<string, string>>, field: string, more: object = {}): Bodies =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, { [field]: value, ...more }]));

const TEN = 'a'.repeat(10);
const LONG_URI = `bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080?message=${TEN.repeat(280)}`;

const leaves = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => ({
    script: (0x51 + (at % 16)).toString(16).repeat(bytes),
    weight: 1 + (at % 7),
  }));
const xOnly = (): string => point().slice(2);

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const recipients = (count: number) => Array.from({ length: count }, () => ({ address: ADDRESS, amount: '0.00001' }));
const paying = (count: number, world: OperationWorld) => ({
  recipients: recipients(count),
  fee_rate: '2',
  rbf: true,
  wallet_id: world.ids.wallet_id,
});
const ten = <T>(member: T): T[] => Array.from({ length: 10 }, () => member);
/** Of some hundred, a thousand and four thousand characters. */
const MANY = { originator: { originatorPerson: ten({}) }, beneficiary: { beneficiaryPerson: ten({}) } };
const EMPTY = {
  originator: {
    originatorPerson: ten({ naturalPerson: { name: { nameIdentifier: ten({}) }, geographicAddress: ten({}) } }),
  },
};
const WRONG = {
  originator: { originatorPerson: ten({ legalPerson: { geographicAddress: ten({ a: 1, b: 2, c: 3, d: 4, e: 5 }) } }) },
};
const toPersons = (count: number, travel_rule: object, world: OperationWorld) => ({
  ...paying(count, world),
  recipients: recipients(count).map((one) => ({ ...one, travel_rule })),
});
function base58(at: number): string {
  const hash = Buffer.alloc(20);
  hash.writeUInt32BE(at);
  return codec.toBase58Check(hash, 111);
}
const label = (at: number): string =>
  `${JSON.stringify({ type: 'tx', ref: at.toString(16).padStart(64, '0'), label: 'a label' })}\n`;

export const WORST_RECIPES: Readonly<Record<string, WorstRecipe>> = {
  'transaction.create': (world) => ({
    recipients: paying(700, world),
    'travel rule': toPersons(350, MANY, world),
    'a wrong travel rule': toPersons(13, WRONG, world),
  }),
  'travel-rule.replace': () => ({ empty: { travel_rule: EMPTY }, wrong: { travel_rule: WRONG } }),
  'transaction.bulk-create': (world) => ({
    recipients: { transactions: Array.from({ length: 2 }, () => paying(600, world)) },
    'travel rule': { transactions: Array.from({ length: 2 }, () => toPersons(18, EMPTY, world)) },
    payments: { transactions: Array.from({ length: 100 }, () => paying(1, world)) },
  }),
  'wallet-label.import': () => ({
    blank: '\n'.repeat(10 * 1024 * 1024 - 1),
    lines: Array.from({ length: 20_000 }, (_, at) => label(at)).join(''),
  }),
  'address-book-entry.import': () => ({
    blank: '\n'.repeat(10 * 1024 * 1024 - 1),
    quotes: `name,address\n${'""'.repeat(5 * 1024 * 1024 - 10)}`,
    entries: `name,address,tags\n${Array.from({ length: 10_000 }, (_, at) => `n,${base58(at)},a;b\n`).join('')}`,
    wrong: `name,address,tags\n${'a,b,c\n'.repeat(10_000)}`,
  }),
  'screening-list.create': () => ({ wrong: { name: 'n', csv: 'a\n'.repeat(10_000) } }),
  'screening-list.replace': () => ({
    addresses: { name: 'n', csv: Array.from({ length: 10_000 }, (_, at) => `${base58(at)}\n`).join('') },
  }),
  'script.classify': () => ({
    ...each(scripts(100_000), 'script'),
    'a thousand keys': {
      script: `0014${'00'.repeat(20)}`,
      public_keys: points(1_000).map((public_key) => ({ public_key, fingerprint: '00000000', path: 'm/1/2/3' })),
    },
    witness: { script: `0020${'00'.repeat(32)}`, witness_script: '51'.repeat(10_000) },
  }),
  'script.disassemble': () => each(scripts(400_000), 'script'),
  'script.assemble': () => ({
    numbers: { asm: '1 '.repeat(20_000) },
    more: { asm: '1 '.repeat(399_000) },
    data: { asm: `${'ab'.repeat(520)} `.repeat(700) },
  }),
  'descriptor.infer': () => each(scripts(100_000), 'script'),
  'descriptor.parse': () => each(DESCRIPTORS, 'descriptor'),
  'descriptor.checksum': () => each(DESCRIPTORS, 'descriptor'),
  'descriptor.derive': () => ({
    ...each(DESCRIPTORS, 'descriptor', { count: 100 }),
    'ten of each': { descriptor: `wsh(sortedmulti(10,${keys(16)}))`, count: 10 },
  }),
  'chain-transaction.decode': () => ({
    outputs: { transaction: transaction(1, 16_800) },
    inputs: { transaction: transaction(12_000, 1) },
    'many outputs': {
      transaction: `02000000${varint(1)}${INPUT}fe${hex(Uint8Array.of(45_000 & 0xff, 45_000 >> 8, 0, 0))}${'00000000000000000151'.repeat(45_000)}00000000`,
    },
  }),
  'chain-transaction.test': () => ({
    outputs: { transaction: transaction(1, 16_800) },
    inputs: { transaction: transaction(12_000, 1) },
    several: { transactions: Array.from({ length: 25 }, () => transaction(1, 650)) },
  }),
  'chain-transaction.broadcast': () => ({
    outputs: { transaction: transaction(1, 16_800) },
    inputs: { transaction: transaction(12_000, 1) },
  }),
  'blockchain-transaction.submit': () => ({
    outputs: { raw: transaction(1, 16_800) },
    inputs: { raw: transaction(12_000, 1) },
    psbt: { psbt: finalPsbt(7_000) },
  }),
  'header.verify': () => ({
    headers: {
      headers: Array.from(
        { length: 4_032 },
        () => `01000000${'00'.repeat(32)}${'33'.repeat(32)}29ab5f49ffff7f2002000000`,
      ),
    },
  }),
  'merkle-proof.verify': () => ({
    block: {
      merkle_block: `01000000${'00'.repeat(64)}29ab5f49ffff7f2002000000${'ffff0000'}fdff3f${'44'.repeat(32).repeat(16_000)}fdff0f${'ff'.repeat(4_095)}`,
    },
  }),
  'uri.draw': () => ({
    large: { uri: LONG_URI, format: 'png', scale: 32, error_correction: 'low' },
    long: { uri: LONG_URI, format: 'svg', error_correction: 'low' },
    small: { uri: LONG_URI.slice(0, 300), format: 'png', scale: 8, error_correction: 'high' },
  }),
  'uri.build': () => ({
    large: {
      address: LONG_URI.slice(8, 52),
      message: TEN.repeat(200),
      image: { format: 'png', scale: 32, error_correction: 'low' },
    },
    small: {
      address: LONG_URI.slice(8, 52),
      message: TEN.repeat(150),
      image: { format: 'png', scale: 8, error_correction: 'low' },
    },
    parameters: {
      address: LONG_URI.slice(8, 52),
      parameters: Array.from({ length: 20 }, (_, at) => ({ key: `k${at}`, value: '%'.repeat(200) })),
    },
  }),
  'uri.parse': () => ({ long: { uri: LONG_URI }, parameters: { uri: `bitcoin:?${'&a=b'.repeat(1_000)}` } }),
  'musig-key.aggregate': () => ({
    keys: {
      public_keys: points(20),
      tweaks: Array.from({ length: 20 }, () => ({ tweak: hex(randomBytes(32)), x_only: true })),
      taproot: { merkle_root: null },
    },
    few: { public_keys: points(12), tweaks: Array.from({ length: 9 }, () => ({ tweak: '01'.repeat(32) })) },
  }),
  'musig-session.create': () => ({
    keys: {
      public_keys: points(20),
      message: '00'.repeat(32),
      tweaks: Array.from({ length: 20 }, () => ({ tweak: hex(randomBytes(32)), x_only: true })),
      taproot: { merkle_root: null },
    },
  }),
  'taproot-output.preview': () => ({
    leaves: { internal_key: xOnly(), leaves: leaves(512, 128) },
    few: { internal_key: xOnly(), leaves: leaves(40, 10) },
  }),
  'taproot-output.create': () => ({ leaves: { internal_key: xOnly(), leaves: leaves(512, 128) } }),
  'taproot-signature-hash.compute': () => ({
    inputs: {
      transaction: transaction(2_400, 1),
      input_index: 0,
      prevouts: Array.from({ length: 2_400 }, () => ({ amount: '1', script: `5120${xOnly0}` })),
    },
  }),
  'message.sign': () => ({
    long: {
      address: 'bcrt1ql3e9pgs3mmwuwrh95fecme0s0qtn2880hlwwpw',
      message: 'a'.repeat(1_000_000),
      key: '11'.repeat(32),
    },
  }),
  'message.verify': () => ({
    long: {
      address: 'bcrt1ql3e9pgs3mmwuwrh95fecme0s0qtn2880hlwwpw',
      message: 'a'.repeat(900_000),
      signature: `smp${'A'.repeat(100_000)}`,
    },
  }),
};
const xOnly0 = xOnly();
