/** The vectors of BIP174, BIP370 and BIP371: what is invalid is refused for its own reason, what is valid comes out as it came in. */
import { describe, expect, it } from 'vitest';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import type { PsbtError, PsbtProblem } from '../../../src/core/psbt/psbt-error.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { locktimeOf } from '../../../src/core/psbt/transaction-of.ts';
import { isInvalid, type PsbtVector, parsing, VECTORS } from './psbt-vectors.ts';

type Reason = readonly [problem: PsbtProblem, field: string | null, map: string, message?: RegExp];

/** In the order of the vectors. */
const BIP174: readonly Reason[] = [
  ['bad_magic', null, ''],
  ['map_count', 'PSBT_GLOBAL_UNSIGNED_TX', '', /there are 2 outputs, but the bytes end after the maps of 0/],
  ['signed_transaction', 'PSBT_GLOBAL_UNSIGNED_TX', 'global'],
  ['missing_field', 'PSBT_GLOBAL_UNSIGNED_TX', 'global'],
  ['duplicate_key', 'PSBT_IN_NON_WITNESS_UTXO', 'input 0'],
  ['unexpected_key_data', 'PSBT_GLOBAL_UNSIGNED_TX', 'global'],
  ['unexpected_key_data', 'PSBT_IN_WITNESS_UTXO', 'input 0'],
  ['invalid_key_data', 'PSBT_IN_PARTIAL_SIG', 'input 0'],
  ['unexpected_key_data', 'PSBT_IN_REDEEM_SCRIPT', 'input 0'],
  ['unexpected_key_data', 'PSBT_IN_WITNESS_SCRIPT', 'input 0'],
  ['invalid_key_data', 'PSBT_IN_BIP32_DERIVATION', 'input 0'],
  ['unexpected_key_data', 'PSBT_IN_NON_WITNESS_UTXO', 'input 0'],
  ['unexpected_key_data', 'PSBT_IN_FINAL_SCRIPTSIG', 'input 0'],
  ['unexpected_key_data', 'PSBT_IN_FINAL_SCRIPTWITNESS', 'input 1'],
  ['invalid_key_data', 'PSBT_OUT_BIP32_DERIVATION', 'output 0'],
  ['unexpected_key_data', 'PSBT_IN_SIGHASH_TYPE', 'input 0'],
  ['unexpected_key_data', 'PSBT_OUT_REDEEM_SCRIPT', 'output 0'],
  ['unexpected_key_data', 'PSBT_OUT_WITNESS_SCRIPT', 'output 1'],
  ['invalid_value', 'PSBT_GLOBAL_UNSIGNED_TX', 'global', /serialization with witnesses/],
  ['invalid_value', 'PSBT_GLOBAL_UNSIGNED_TX', 'global', /22 bytes follow it/],
];

const forbidden = (field: string, map: string): Reason => ['forbidden_field', field, map];
const missing = (field: string, map: string): Reason => ['missing_field', field, map];

const BIP370: readonly Reason[] = [
  forbidden('PSBT_GLOBAL_UNSIGNED_TX', 'global'),
  forbidden('PSBT_GLOBAL_TX_VERSION', 'global'),
  forbidden('PSBT_GLOBAL_FALLBACK_LOCKTIME', 'global'),
  forbidden('PSBT_GLOBAL_INPUT_COUNT', 'global'),
  forbidden('PSBT_GLOBAL_OUTPUT_COUNT', 'global'),
  forbidden('PSBT_GLOBAL_TX_MODIFIABLE', 'global'),
  forbidden('PSBT_IN_PREVIOUS_TXID', 'input 0'),
  forbidden('PSBT_IN_OUTPUT_INDEX', 'input 0'),
  forbidden('PSBT_IN_SEQUENCE', 'input 0'),
  forbidden('PSBT_IN_REQUIRED_TIME_LOCKTIME', 'input 0'),
  forbidden('PSBT_IN_REQUIRED_HEIGHT_LOCKTIME', 'input 0'),
  forbidden('PSBT_OUT_AMOUNT', 'output 0'),
  forbidden('PSBT_OUT_SCRIPT', 'output 0'),
  forbidden('PSBT_GLOBAL_UNSIGNED_TX', 'global'),
  missing('PSBT_GLOBAL_INPUT_COUNT', 'global'),
  missing('PSBT_GLOBAL_OUTPUT_COUNT', 'global'),
  missing('PSBT_GLOBAL_TX_VERSION', 'global'),
  missing('PSBT_IN_PREVIOUS_TXID', 'input 0'),
  missing('PSBT_IN_OUTPUT_INDEX', 'input 0'),
  missing('PSBT_OUT_AMOUNT', 'output 0'),
  missing('PSBT_OUT_SCRIPT', 'output 0'),
  ['invalid_value', 'PSBT_IN_REQUIRED_TIME_LOCKTIME', 'input 0', /at least 500000000/],
  ['invalid_value', 'PSBT_IN_REQUIRED_HEIGHT_LOCKTIME', 'input 0', /below 500000000/],
  ['invalid_value', 'PSBT_IN_REQUIRED_HEIGHT_LOCKTIME', 'input 0', /above 0/],
];

const BIP371: readonly Reason[] = [
  ['invalid_value', 'PSBT_IN_TAP_INTERNAL_KEY', 'input 0', /x-only public key \(BIP340\), 32 bytes/],
  ['invalid_value', 'PSBT_IN_TAP_KEY_SIG', 'input 0', /64 bytes, or 65/],
  ['invalid_value', 'PSBT_IN_TAP_KEY_SIG', 'input 0', /64 bytes, or 65/],
  ['invalid_key_data', 'PSBT_IN_TAP_BIP32_DERIVATION', 'input 0'],
  ['invalid_value', 'PSBT_OUT_TAP_INTERNAL_KEY', 'output 1'],
  ['invalid_key_data', 'PSBT_OUT_TAP_BIP32_DERIVATION', 'output 1'],
  ['invalid_key_data', 'PSBT_IN_TAP_SCRIPT_SIG', 'input 0'],
  ['invalid_value', 'PSBT_IN_TAP_SCRIPT_SIG', 'input 0'],
  ['invalid_value', 'PSBT_IN_TAP_SCRIPT_SIG', 'input 0'],
  ['invalid_key_data', 'PSBT_IN_TAP_LEAF_SCRIPT', 'input 0'],
  ['invalid_key_data', 'PSBT_IN_TAP_LEAF_SCRIPT', 'input 0'],
];

const refusalOf = (row: PsbtVector): PsbtError => {
  try {
    parsePsbt(Buffer.from(row.b64, 'base64'));
  } catch (error) {
    return error as PsbtError;
  }
  throw new Error(`parsed: ${row.name}`);
};

const placeOf = ({ place }: PsbtError): string =>
  place === null ? '' : place.map === 'global' ? 'global' : `${place.map} ${place.index}`;

describe('vectors of the BIPs', () => {
  it.each([
    ['BIP174', VECTORS.bip174, BIP174],
    ['BIP370', VECTORS.bip370, BIP370],
    ['BIP371', VECTORS.bip371, BIP371],
  ] as const)('%s: every invalid PSBT is refused, each for its own reason', (_bip, rows, reasons) => {
    const invalid = rows.filter(isInvalid);
    expect(invalid).toHaveLength(reasons.length);
    for (const [index, row] of invalid.entries()) {
      const [problem, field, place, message = /./] = reasons[index] as Reason;
      const error = refusalOf(row);
      expect([error.problem, error.fieldName, placeOf(error)], row.name).toEqual([problem, field, place]);
      expect(error.message, row.name).toMatch(message);
      expect(error.code).toBe('invalid_psbt');
    }
  });

  it('every other PSBT comes out byte for byte as it came in, as views and as entries', () => {
    expect(parsing).toHaveLength(20 + 4 + 24 + 6);
    for (const row of parsing) {
      const bytes = Buffer.from(row.b64, 'base64');
      const psbt = parsePsbt(bytes);
      expect(serializePsbt(psbt).equals(bytes), row.name).toBe(true);
      for (const map of [psbt.global, ...psbt.inputs, ...psbt.outputs]) map.keep(() => true);
      expect(serializePsbt(psbt).equals(bytes), row.name).toBe(true);
      expect(psbtToBase64(psbtFromText(row.b64))).toBe(row.b64);
      expect(psbtToBase64(psbtFromText(bytes.toString('hex')))).toBe(row.b64);
    }
  });

  it('BIP370: ten locktimes', () => {
    const rows = VECTORS.bip370.filter(({ kind }) => kind.startsWith('locktime:'));
    expect(rows).toHaveLength(10);
    for (const { kind, b64, name } of rows) {
      const expected = kind.slice('locktime:'.length);
      expect(locktimeOf(requireV2(psbtFromText(b64))), name).toBe(expected === 'none' ? null : Number(expected));
    }
  });
});
