/** What BIP174 and BIP371 show of signers, finalizers and extractors. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { DomainError } from '../../../src/core/errors.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { spentOutput } from '../../../src/core/psbt/codec/input-fields.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { combinePsbts } from '../../../src/core/psbt/construction/combine-psbts.ts';
import { toVersion0, toVersion2 } from '../../../src/core/psbt/construction/migrate.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV0, PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../../src/core/psbt/signing/signers.ts';
import { MANDATORY_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { VECTORS } from './psbt-vectors.ts';

const version2 = (b64: string): PsbtV2 => toVersion2(psbtFromText(b64) as PsbtV0);
const version0 = (psbt: PsbtV2): string => psbtToBase64(toVersion0(psbt));
const randomBytes = (size: number) => new Uint8Array(size);

/** The same fields: the combiner of the vectors leaves them in another order. */
const fieldsOf = ({ global, inputs, outputs }: PsbtV2): string[][] =>
  [global, ...inputs, ...outputs].map((map) =>
    map.entries
      .map(({ type, keyData, value }) =>
        [`${type}`, keyData, value].map((part) => Buffer.from(part).toString('hex')).join(' '),
      )
      .sort(),
  );

/** Signs as the vectors do: RFC 6979 once, R not ground to 32 bytes. */
const asInVectors = { ecc: { ...ecc, signEcdsa: ecc.sign }, randomBytes };

function sign(psbt: PsbtV2, keys: readonly string[]): PsbtV2 {
  let signed = psbt;
  for (const key of keys) signed = signPsbt(signed, signerFromKeyText(key, 'regtest'), asInVectors).psbt;
  return signed;
}

/** Master key of BIP174's examples: public since 2017. */
const MASTER =
  'tprv8ZgxMBicQKsPd9TeAdPADNnSyH9SSUUbTVeFszDE23Ki6TBB5nCefAdHkK8Fm3qMQR6sHwA56zqRmKmxnHk37JkiFzvncDqoKmPWubu7hDF';
const FIRST = [
  'cP53pDbR5WtAD8dYAW9hhTjuvvTVaEiQBdrz9XPrgLBeRFiyCbQr',
  'cR6SXDoyfQrcp4piaiHE97Rsgta9mNhGTen9XeonVgwsh4iSgw6d',
];
const SECOND = [
  'cT7J9YpCwY3AVRFSjN6ukeEeWY6mhpbJPxRaDaP5QTdygQRxP9Au',
  'cNBc3SWUip9PPm1GjRoLEJT6T41iNzCYtD7qro84FMnM5zEqeJsE',
];
const EXTRACTED_SHA256 = 'bbde8f8dd870dfb957db69e744942bc4966dc43bd4d2ef1bb8fd510dd12c4069';

describe('BIP174', () => {
  const rows = VECTORS.bip174;

  it('fails the signer, each for its own reason', () => {
    const failing = rows.filter(({ kind }) => kind === 'unsafe');
    const reasons = [
      /input 0.*a witness UTXO is given, and it is spent without a witness/,
      /input 0.*its redeem script is not the one that its output pays to/,
      /input 1.*its redeem script is not the one that its output pays to/,
      /input 1.*its witness script is not the one that its redeem script pays to/,
    ];
    expect(failing).toHaveLength(reasons.length);
    for (const [at, { b64 }] of failing.entries()) {
      const refusal = expect(() => sign(version2(b64), [MASTER]));
      refusal.toThrow(expect.objectContaining({ code: 'unsafe_to_sign' }) as DomainError);
      expect(() => sign(version2(b64), [MASTER])).toThrow(reasons[at]);
    }
  });

  it('leads from the updated PSBT to the transaction, byte for byte', () => {
    const roles = rows.filter(({ kind }) => kind === 'role');
    const [, , asked, first, second, combined, finalized] = roles.map(({ b64 }) => b64) as string[];
    const signedFirst = sign(version2(asked!), FIRST);
    const signedSecond = sign(version2(asked!), SECOND);
    expect(version0(signedFirst)).toBe(first);
    expect(version0(signedSecond)).toBe(second);
    const both = combinePsbts([signedFirst, signedSecond]) as PsbtV2;
    expect(fieldsOf(both)).toEqual(fieldsOf(version2(combined!)));
    const final = finalizePsbt(both);
    expect(final).toMatchObject({ complete: true, missing: [] });
    expect(version0(final.psbt)).toBe(finalized);
    expect(sha256(extractTransaction(final.psbt).raw).toString('hex')).toBe(EXTRACTED_SHA256);
  });

  it('is signed by the master key with the derivation paths that it gives', () => {
    const roles = rows.filter(({ kind }) => kind === 'role');
    const signed = sign(version2(roles[2]!.b64), [MASTER]);
    expect(fieldsOf(signed)).toEqual(fieldsOf(version2(roles[5]!.b64)));
  });
});

describe('BIP371', () => {
  it('has signatures that finalize to inputs that hold', () => {
    const signed = VECTORS.bip371.filter(({ kind }) => kind === 'signed');
    expect(signed).toHaveLength(2);
    for (const row of signed) {
      const final = finalizePsbt(version2(row.b64));
      expect(final.missing, row.name).toEqual([]);
      const spent = final.psbt.inputs.map((input) => spentOutput(input)!);
      const transaction = parseTransaction(extractTransaction(final.psbt).raw);
      expect(verifySpend(transaction, spent, 0, MANDATORY_FLAGS), row.name).toEqual({ valid: true });
    }
  });
});
