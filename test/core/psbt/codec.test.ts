/** What the codec refuses, layer by layer, and what it keeps. */
import { describe, expect, it } from 'vitest';
import { hash256, sha256 } from '../../../src/core/hashes.ts';
import { displayHash } from '../../../src/core/outpoint.ts';
import { FIELDS } from '../../../src/core/psbt/codec/fields.ts';
import { GLOBAL, INPUT, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { MAX_FIELDS } from '../../../src/core/psbt/codec/key-value.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { PsbtError } from '../../../src/core/psbt/psbt-error.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { uniqueId, unsignedTxid } from '../../../src/core/psbt/transaction-of.ts';

const compact = (value: number): Buffer =>
  value < 0xfd ? Buffer.of(value) : Buffer.of(0xfd, value & 0xff, value >> 8);
/** Key and value in hex, with the lengths that belong to them. */
const pair = (key: string, value: string): string =>
  Buffer.concat([
    compact(key.length / 2),
    Buffer.from(key, 'hex'),
    compact(value.length / 2),
    Buffer.from(value, 'hex'),
  ]).toString('hex');
const MAGIC = '70736274ff';
const V2 = pair('fb', '02000000');
const TX_VERSION = pair('02', '02000000');
const counts = (inputs: string, outputs: string) => pair('04', inputs) + pair('05', outputs);
const INPUT_REQUIRED = pair('0e', '11'.repeat(32)) + pair('0f', '00000000');
const OUTPUT_REQUIRED = pair('03', '0100000000000000') + pair('04', '51');

/** One input with these further fields, and one output with those. */
const withFields = (input: string, output = '', global = ''): string =>
  `${MAGIC}${TX_VERSION}${counts('01', '01')}${global}${V2}00${input}${INPUT_REQUIRED}00${OUTPUT_REQUIRED}${output}00`;

const ALL_THERE_IS = pair('01', '0040075af07507000151');

const refusal = (hex: string): [string, string | null] => {
  try {
    parsePsbt(Buffer.from(hex, 'hex'));
  } catch (error) {
    if (error instanceof PsbtError) return [error.problem, error.fieldName];
    throw error;
  }
  return ['parsed', null];
};

const idOf = (hex: string): string => displayHash(hash256(Buffer.from(hex, 'hex')));

const KEY = `02${'aa'.repeat(32)}`;
const X_ONLY = 'bb'.repeat(32);

describe('the key-value layer', () => {
  it.each([
    ['a key length in a longer form than needed', `${MAGIC}fd0200fb0004`, 'non_minimal_size'],
    ['a value length in a longer form than needed', `${MAGIC}01fbfd040002000000`, 'non_minimal_size'],
    ['a type in a longer form than needed', `${MAGIC}03fd1000`, 'non_minimal_size'],
    ['a type longer than its key', `${MAGIC}02fe0100${'00'.repeat(9)}`, 'key_without_type'],
    ['a type of 2^53 and more', `${MAGIC}09ff000000000000200000`, 'invalid_key_data'],
    ['a key that goes on past the end', `${MAGIC}05fb00`, 'truncated'],
    ['a value that goes on past the end', `${MAGIC}01fb0502000000`, 'truncated'],
    ['a length of 2^32', `${MAGIC}01fbff0000000001000000`, 'truncated'],
    ['no end of the map', `${MAGIC}01fb0402000000`, 'truncated'],
    ['nothing after the magic', MAGIC, 'truncated'],
    ['half a magic', '70736274', 'bad_magic'],
    ['nothing', '', 'bad_magic'],
  ])('refuses %s', (_what, hex, problem) => {
    expect(refusal(hex)[0]).toBe(problem);
  });

  it('keeps types that no BIP defines, of any size below 2^53, and the order of the wire', () => {
    const unknown = pair('ff0100000000000000'.padEnd(18, '0').replace(/^ff01/, 'ff01').slice(0, 18), '');
    expect(refusal(withFields(unknown))[0]).toBe('non_minimal_size');
    const hex = withFields(
      pair('fdabcd99', '01') + pair('feffffff0f', '') + pair('ffffffffffffff1f00', '02') + pair('fdabcd98', ''),
    );
    const psbt = parsePsbt(Buffer.from(hex, 'hex'));
    expect(psbt.inputs[0]?.entries.slice(0, 4).map(({ type }) => type)).toEqual([
      0xcdab, 0x0fffffff, 0x1fffffffffffff, 0xcdab,
    ]);
    for (const map of psbt.inputs) map.keep(() => true);
    expect(serializePsbt(psbt).toString('hex')).toBe(hex);
  });

  it.each([
    ['known', pair('03', '01000000').repeat(2), 'PSBT_IN_SIGHASH_TYPE'],
    ['unknown', pair('7711', '') + pair('7710', '') + pair('7711', '22'), null],
    ['unknown, next to each other', pair('77', '') + pair('77', ''), null],
    ['with shorter key data between', pair('771100', '') + pair('7711', '') + pair('771100', ''), null],
    ['of another type between', pair('7711', '') + pair('78', '') + pair('7711', ''), null],
  ])('refuses a key that is there twice: %s', (_what, fields, name) => {
    // Before what an input must have, so that its types are in no order, and after what an output must have, where they may be.
    expect(refusal(withFields(fields))).toEqual(['duplicate_key', name]);
    if (name === null) expect(refusal(withFields('', fields))).toEqual(['duplicate_key', null]);
  });

  it('keys whose types or data differ are no duplicates', () => {
    expect(refusal(withFields(pair('7711', '') + pair('771100', '') + pair('77', '') + pair('78', '')))[0]).toBe(
      'parsed',
    );
  });
});

describe('the whole', () => {
  const huge = ['feffffffff', 'ff0000000001000000', 'fe00000001'];

  it.each(huge)('believes no count that the bytes do not bear out: %s', (count) => {
    const before = process.memoryUsage().heapUsed;
    const [problem, field] = refusal(`${MAGIC}${TX_VERSION}${counts(count, '00')}${V2}00`);
    expect([problem, field]).toEqual(
      count.startsWith('ff') ? ['invalid_value', 'PSBT_GLOBAL_INPUT_COUNT'] : ['map_count', 'PSBT_GLOBAL_INPUT_COUNT'],
    );
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  });

  it.each([
    ['fewer maps than the count', counts('01', '02'), 'map_count'],
    ['more maps than the counts', counts('01', '00'), 'trailing_bytes'],
    ['a count that is not in its shortest form', counts('fd0100', '01'), 'invalid_value'],
    ['a count with a byte too many', counts('0100', '01'), 'invalid_value'],
    ['an empty count', counts('', '01'), 'invalid_value'],
  ])('refuses %s', (_what, given, problem) => {
    const hex = `${MAGIC}${TX_VERSION}${given}${V2}00${INPUT_REQUIRED}00${OUTPUT_REQUIRED}00`;
    expect(refusal(hex)[0]).toBe(problem);
  });

  it('reads so many fields and no more, of all that is read together', () => {
    const REQUIRED = 4;
    const field = (index: number) => pair(`80${index.toString(16).padStart(6, '0')}`, '');
    const withUnknown = (count: number) =>
      Buffer.from(
        `${MAGIC}${TX_VERSION}${counts('00', '00')}${Array.from({ length: count }, (_, index) => field(index)).join('')}${V2}00`,
        'hex',
      );
    const most = withUnknown(MAX_FIELDS - REQUIRED);
    expect(parsePsbt(most).global.entries).toHaveLength(MAX_FIELDS);
    const refused = (read: () => unknown) =>
      expect(read).toThrow(expect.objectContaining({ problem: 'too_many_fields' }));
    refused(() => parsePsbt(withUnknown(MAX_FIELDS - REQUIRED + 1)));
    const together = { left: MAX_FIELDS };
    parsePsbt(withUnknown(0), together);
    refused(() => parsePsbt(most, together));
  });

  it('counts the fields of inputs and outputs, too', () => {
    const bytes = Buffer.from(withFields(pair('8000', ''), pair('8000', '')), 'hex');
    expect(parsePsbt(bytes, { left: 10 }).inputs).toHaveLength(1);
    expect(() => parsePsbt(bytes, { left: 9 })).toThrow(
      expect.objectContaining({ problem: 'too_many_fields', place: { map: 'output', index: 0 } }),
    );
  });

  it('refuses a byte behind the last map', () => {
    expect(refusal(`${withFields('')}00`)[0]).toBe('trailing_bytes');
    expect(refusal(`${MAGIC}0100 0a 02000000 00 00 00000000 00 00`.replaceAll(' ', ''))[0]).toBe('trailing_bytes');
  });

  it.each(['01000000', '03000000', '000000ff'])('refuses version %s', (version) => {
    expect(refusal(`${MAGIC}${pair('fb', version)}00`)).toEqual(['unsupported_version', 'PSBT_GLOBAL_VERSION']);
  });

  it.each(['02', '0200000000'])('refuses a version that is no 32-bit number: %s', (version) => {
    expect(refusal(`${MAGIC}${pair('0000', '')}${pair('fb', version)}00`)[0]).toBe('unexpected_key_data');
    const v0 = pair('00', '0200000000000000000000'.slice(0, 20));
    expect(refusal(`${MAGIC}${v0}${pair('fb', version)}00`)).toEqual(['invalid_value', 'PSBT_GLOBAL_VERSION']);
  });

  it('takes a PSBT of either version with no inputs and no outputs', () => {
    expect(refusal(`${MAGIC}${TX_VERSION}${counts('00', '00')}${V2}00`)[0]).toBe('parsed');
    expect(refusal(`${MAGIC}${pair('00', '02000000000000000000')}00`)[0]).toBe('parsed');
    expect(refusal(`${MAGIC}${pair('00', '02000000000000000000')}${pair('fb', '00000000')}00`)[0]).toBe('parsed');
  });

  it('keeps all eight flags of PSBT_GLOBAL_TX_MODIFIABLE', () => {
    for (let flags = 0; flags < 256; flags++) {
      const hex = withFields('', '', pair('06', flags.toString(16).padStart(2, '0')));
      expect(serializePsbt(parsePsbt(Buffer.from(hex, 'hex'))).toString('hex')).toBe(hex);
    }
  });
});

describe('the field table', () => {
  const preimage = Buffer.from('secret');
  const digest = sha256(preimage).toString('hex');
  const control = (steps: number) => `c0${'33'.repeat(32 + 32 * steps)}`;
  const input = (key: string, value: string) => withFields(pair(key, value));
  const output = (key: string, value: string) => withFields('', pair(key, value));
  const DER = `3006020101020101${'01'}`;

  it.each<[string, string, string]>([
    [
      'a public key that starts with 05',
      input(`06${'05'.concat('aa'.repeat(32))}`, '00'.repeat(4)),
      'invalid_key_data PSBT_IN_BIP32_DERIVATION',
    ],
    ['an uncompressed key', input(`06${'04'.concat('aa'.repeat(64))}`, '00'.repeat(4)), 'parsed'],
    ['a path that is no multiple of 4', input(`06${KEY}`, '00'.repeat(6)), 'invalid_value PSBT_IN_BIP32_DERIVATION'],
    ['an origin without fingerprint', input(`06${KEY}`, ''), 'invalid_value PSBT_IN_BIP32_DERIVATION'],
    ['a signature in DER', input(`02${KEY}`, DER), 'parsed'],
    ['a signature without hash type', input(`02${KEY}`, DER.slice(0, -2)), 'invalid_value PSBT_IN_PARTIAL_SIG'],
    ['a negative r', input(`02${KEY}`, '300602018102010101'), 'invalid_value PSBT_IN_PARTIAL_SIG'],
    ['an s with a zero too many', input(`02${KEY}`, '30070201010202000101'), 'invalid_value PSBT_IN_PARTIAL_SIG'],
    [
      'a signature of another length than it says',
      input(`02${KEY}`, '300702010102010101'),
      'invalid_value PSBT_IN_PARTIAL_SIG',
    ],
    ['a previous transaction that is cut', input('00', '0200'), 'invalid_value PSBT_IN_NON_WITNESS_UTXO'],
    ['an output without script length', input('01', '0000000000000000'), 'invalid_value PSBT_IN_WITNESS_UTXO'],
    ['an output with a byte too many', input('01', '00000000000000000151ff'), 'invalid_value PSBT_IN_WITNESS_UTXO'],
    ['an output above 21,000,000 BTC', input('01', '0140075af07507000151'), 'invalid_value PSBT_IN_WITNESS_UTXO'],
    [
      'outputs that come to more than 21,000,000 BTC',
      `${MAGIC}${TX_VERSION}${counts('01', '02')}${V2}00${INPUT_REQUIRED}00${OUTPUT_REQUIRED}00${pair('03', '0040075af0750700')}${pair('04', '51')}00`,
      'invalid_value PSBT_OUT_AMOUNT',
    ],
    [
      'inputs that come to more than 21,000,000 BTC',
      `${MAGIC}${TX_VERSION}${counts('02', '01')}${V2}00${INPUT_REQUIRED}${ALL_THERE_IS}00${INPUT_REQUIRED.replaceAll('11', '22')}${ALL_THERE_IS}00${OUTPUT_REQUIRED}00`,
      'invalid_value PSBT_IN_WITNESS_UTXO',
    ],
    ['an output of all there is', input('01', '0040075af07507000151'), 'parsed'],
    [
      'a negative amount',
      withFields('').replace(pair('03', '0100000000000000'), pair('03', 'ffffffffffffffff')),
      'invalid_value PSBT_OUT_AMOUNT',
    ],
    ['a witness with a byte too many', input('08', '01010102'), 'invalid_value PSBT_IN_FINAL_SCRIPTWITNESS'],
    ['a witness of 2^32 items', input('08', 'feffffffff'), 'invalid_value PSBT_IN_FINAL_SCRIPTWITNESS'],
    ['a preimage', input(`0b${digest}`, preimage.toString('hex')), 'parsed'],
    ['another preimage', input(`0b${digest}`, '00'), 'invalid_value PSBT_IN_SHA256'],
    ['a hash of a byte too few', input(`0a${'11'.repeat(19)}`, ''), 'invalid_key_data PSBT_IN_RIPEMD160'],
    ['a commitment that is no UTF-8', input('09', 'ff'), 'invalid_value PSBT_IN_POR_COMMITMENT'],
    [
      'a message that is no UTF-8',
      withFields('', '', pair('09', 'c0')),
      'invalid_value PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE',
    ],
    ['the least time', input('11', '0065cd1d'), 'parsed'],
    ['a time below it', input('11', 'ff64cd1d'), 'invalid_value PSBT_IN_REQUIRED_TIME_LOCKTIME'],
    ['the greatest height', input('12', 'ff64cd1d'), 'parsed'],
    ['a height of 0', input('12', '00000000'), 'invalid_value PSBT_IN_REQUIRED_HEIGHT_LOCKTIME'],
    ['a leaf', input(`15${control(0)}`, '51c0'), 'parsed'],
    ['a leaf 128 deep', input(`15${control(128)}`, '51c0'), 'parsed'],
    ['a leaf 129 deep', input(`15${control(129)}`, '51c0'), 'invalid_key_data PSBT_IN_TAP_LEAF_SCRIPT'],
    ['a leaf without version', input(`15${control(0)}`, ''), 'invalid_value PSBT_IN_TAP_LEAF_SCRIPT'],
    [
      'a leaf of another version than its control block',
      input(`15${control(0)}`, '51c2'),
      'invalid_value PSBT_IN_TAP_LEAF_SCRIPT',
    ],
    ['a tap origin with leaf hashes', input(`16${X_ONLY}`, `02${'44'.repeat(64)}d34db33f`), 'parsed'],
    [
      'a tap origin that counts one hash too many',
      input(`16${X_ONLY}`, `03${'44'.repeat(64)}d34db33f`),
      'invalid_value PSBT_IN_TAP_BIP32_DERIVATION',
    ],
    ['participants', input(`1a${KEY}`, KEY + KEY), 'parsed'],
    ['no participants', input(`1a${KEY}`, ''), 'invalid_value PSBT_IN_MUSIG2_PARTICIPANT_PUBKEYS'],
    ['a nonce for a key path', input(`1b${KEY}${KEY}`, KEY + KEY), 'parsed'],
    ['a nonce for a leaf', input(`1b${KEY}${KEY}${X_ONLY}`, KEY + KEY), 'parsed'],
    ['a nonce of 65 bytes', input(`1b${KEY}${KEY}`, (KEY + KEY).slice(2)), 'invalid_value PSBT_IN_MUSIG2_PUB_NONCE'],
    ['a partial signature of 33 bytes', input(`1c${KEY}${KEY}`, KEY), 'invalid_value PSBT_IN_MUSIG2_PARTIAL_SIG'],
    ['a pay-to-contract tweak (BIP372)', input(`19${KEY}`, X_ONLY), 'parsed'],
    ['a tweak of 31 bytes', input(`19${KEY}`, X_ONLY.slice(2)), 'invalid_value PSBT_IN_P2C_TWEAK'],
    ['a silent payment tweak (BIP376)', input('20', X_ONLY), 'parsed'],
    ['a spend key origin (BIP376)', input(`1f${KEY}`, 'd34db33f'), 'parsed'],
    ['a tree of one leaf', output('06', '00c00151'), 'parsed'],
    ['a tree of two leaves', output('06', '01c0015101c00152'), 'parsed'],
    ['a leaf without its sibling', output('06', '01c00151'), 'invalid_value PSBT_OUT_TAP_TREE'],
    ['leaves that are not depth first', output('06', '02c0015101c0015202c00153'), 'invalid_value PSBT_OUT_TAP_TREE'],
    ['two roots', output('06', '00c0015100c00152'), 'invalid_value PSBT_OUT_TAP_TREE'],
    ['an odd leaf version', output('06', '00c10151'), 'invalid_value PSBT_OUT_TAP_TREE'],
    ['no leaf', output('06', ''), 'invalid_value PSBT_OUT_TAP_TREE'],
    ['a proof of BIP353', output('35', '0161ffff'), 'parsed'],
    ['a name longer than the field', output('35', '0561ff'), 'invalid_value PSBT_OUT_DNSSEC_PROOF'],
    ['a label without silent payment', output('0a', '00000000'), 'missing_field PSBT_OUT_SP_V0_INFO'],
    ['a proprietary field', input('fc036162630101', '00'), 'parsed'],
    ['an identifier longer than its key', input('fc0461', '00'), 'invalid_key_data PSBT_IN_PROPRIETARY'],
    ['a proprietary key without subtype', input('fc0161', '00'), 'invalid_key_data PSBT_IN_PROPRIETARY'],
    ['a subtype of 64 bits', input('fc00ff0000000001000000', '00'), 'parsed'],
    [
      'a subtype in a longer form than needed',
      input('fc00ff0000000000000000', '00'),
      'invalid_key_data PSBT_IN_PROPRIETARY',
    ],
    [
      'a subtype of 16 bits in a longer form than needed',
      input('fc00fdfc00', '00'),
      'invalid_key_data PSBT_IN_PROPRIETARY',
    ],
    ['a subtype of 16 bits', input('fc00fdfd00', '00'), 'parsed'],
  ])('knows %s', (_what, hex, expected) => {
    const [problem, field] = refusal(hex);
    expect(field === null ? problem : `${problem} ${field}`).toBe(expected);
  });

  it('wants the extended key public, and as many steps as it is deep', () => {
    const xpub = (depth: number, first: string) =>
      `01${'0488b21e'}${Buffer.of(depth).toString('hex')}${'55'.repeat(40)}${first}${'66'.repeat(32)}`;
    const global = (key: string, value: string) => refusal(withFields('', '', pair(key, value))).join(' ');
    expect(global(xpub(2, '02'), 'd34db33f0000008001000080')).toBe('parsed ');
    expect(global(xpub(1, '02'), 'd34db33f0000008001000080')).toBe('invalid_value PSBT_GLOBAL_XPUB');
    expect(global(xpub(2, '00'), 'd34db33f0000008001000080')).toBe('invalid_key_data PSBT_GLOBAL_XPUB');
  });

  it('names every field as the BIPs do, each type once', () => {
    expect(FIELDS.global[GLOBAL.XPUB]?.name).toBe('PSBT_GLOBAL_XPUB');
    expect(FIELDS.input[INPUT.MUSIG2_PUB_NONCE]?.name).toBe('PSBT_IN_MUSIG2_PUB_NONCE');
    expect(FIELDS.output[OUTPUT.SP_V0_INFO]?.name).toBe('PSBT_OUT_SP_V0_INFO');
    const kinds = [FIELDS.global, FIELDS.input, FIELDS.output] as const;
    expect(kinds.map((table) => table.filter((field) => field !== undefined).length)).toEqual([12, 34, 13]);
  });
});

describe('BIP375', () => {
  const info = pair('09', KEY + KEY);
  const silent = (modifiable: string, script: string) =>
    `${MAGIC}${TX_VERSION}${counts('00', '01')}${modifiable}${V2}00${pair('03', '0100000000000000')}${script}${info}00`;

  it('lets a silent payment be without script, and no other output', () => {
    expect(refusal(silent('', ''))[0]).toBe('parsed');
    expect(refusal(silent('', '').replace(info, ''))).toEqual(['missing_field', 'PSBT_OUT_SCRIPT']);
    expect(refusal(silent(pair('06', '03'), ''))[0]).toBe('parsed');
    expect(refusal(silent(pair('06', '01'), pair('04', '51')))).toEqual(['invalid_value', 'PSBT_GLOBAL_TX_MODIFIABLE']);
    expect(refusal(silent(pair('06', '04'), pair('04', '51')))[0]).toBe('parsed');
  });

  it('identifies it by its keys, whether the script is there or not', () => {
    const parse = (script: string) => requireV2(parsePsbt(Buffer.from(silent('', script), 'hex')));
    expect(uniqueId(parse(''))).toBe(uniqueId(parse(pair('04', '51'))));
    expect(uniqueId(parse(''))).toBe(idOf(`020000000001${'0100000000000000'}43${'00'}${KEY}${KEY}00000000`));
    expect(unsignedTxid(parse(''))).toBeNull();
    expect(unsignedTxid(parse(pair('04', '51')))).toMatch(/^[0-9a-f]{64}$/);
  });
});

it('the unique id has sequences of 0 and the locktime that inputs require (BIP370)', () => {
  const psbt = requireV2(parsePsbt(Buffer.from(withFields(pair('10', 'fdffffff') + pair('12', '39300000')), 'hex')));
  const inputBytes = `01${'11'.repeat(32)}00000000${'00'}00000000`;
  expect(uniqueId(psbt)).toBe(idOf(`02000000${inputBytes}01${'0100000000000000'}015139300000`));
  const unsigned = inputBytes.replace(/00000000$/, 'fdffffff');
  expect(unsignedTxid(psbt)).toBe(idOf(`02000000${unsigned}01${'0100000000000000'}015139300000`));
});

describe('previous transactions', () => {
  const transaction = `02000000${'01'}${'22'.repeat(32)}0000000000ffffffff01e80300000000000001510000${'0000'}`;
  const utxo = pair('00', transaction);
  const of = (version: 0 | 2, txid: string, vout: string): string => {
    if (version === 2)
      return `${MAGIC}${TX_VERSION}${counts('01', '01')}${V2}00${utxo}${pair('0e', txid)}${pair('0f', vout)}00${OUTPUT_REQUIRED}00`;
    const unsigned = `0200000001${txid}${vout}00ffffffff010100000000000000015100000000`;
    return `${MAGIC}${pair('00', unsigned)}00${utxo}0000`;
  };
  const own = hash256(Buffer.from(transaction, 'hex')).toString('hex');

  it.each([
    0, 2,
  ] as const)('are those that the inputs of version %d name, with the output that they spend', (version) => {
    const refused = ['invalid_value', 'PSBT_IN_NON_WITNESS_UTXO'];
    expect(refusal(of(version, own, '00000000'))).toEqual(['parsed', null]);
    expect(refusal(of(version, own, '01000000'))).toEqual(refused);
    expect(refusal(of(version, '33'.repeat(32), '00000000'))).toEqual(refused);
    expect(() => parsePsbt(Buffer.from(of(version, own, '01000000'), 'hex'))).toThrow(
      /no output 1, which the input spends \(input 0\)/,
    );
  });
});

describe('text', () => {
  const bytes = Buffer.from(withFields(''), 'hex');
  const base64 = bytes.toString('base64');

  it('is base64 or hex, and nothing near it', () => {
    expect(psbtToBase64(psbtFromText(base64))).toBe(base64);
    expect(psbtToBase64(psbtFromText(bytes.toString('hex').toUpperCase()))).toBe(base64);
    const problem = (text: string) => {
      try {
        psbtFromText(text);
      } catch (error) {
        return (error as PsbtError).problem;
      }
      return 'parsed';
    };
    for (const text of [
      `${base64}\n`,
      ` ${base64}`,
      base64.replace(/^./, '_'),
      `${base64.slice(0, 40)}\n${base64.slice(40)}`,
    ])
      expect(problem(text)).toBe('bad_text');
    expect(problem(`${bytes.toString('hex')}0`)).toBe('bad_text');
    expect(problem(`${bytes.toString('hex')} `)).toBe('bad_text');
    expect(problem('')).toBe('bad_magic');
    expect(problem('AAAA')).toBe('bad_magic');
  });
});
