/** BIP174's example: creator, updater, combiner, each by the role's own function on version 2, compared as version 0. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { combinePsbts } from '../../../src/core/psbt/construction/combine-psbts.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { toVersion0, toVersion2 } from '../../../src/core/psbt/construction/migrate.ts';
import { updatePsbt } from '../../../src/core/psbt/construction/update-psbt.ts';
import type { PsbtV0, PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { parsing, VECTORS } from './psbt-vectors.ts';

const roles = VECTORS.bip174.filter(({ kind }) => ['role', 'sorted'].includes(kind)).map(({ b64 }) => b64);
const [created, updated, withSighash, signedByOne, signedByOther, combined, , unknownOne, unknownOther, unknownBoth] =
  roles as string[];
const v0 = (text: string | undefined): PsbtV0 => {
  const psbt = psbtFromText(text ?? '');
  if (psbt.version !== 0) throw new Error('not of version 0');
  return psbt;
};
const v2 = (text: string | undefined): PsbtV2 => toVersion2(v0(text));
const asV0 = (psbt: PsbtV2): string => psbtToBase64(toVersion0(psbt));

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const fingerprint = 'd90c6a4f';
const key = (publicKey: string, last: number) => ({
  publicKey: hex(publicKey),
  fingerprint,
  path: [0x80000000, 0x80000000, 0x80000000 + last],
});

describe('the example of BIP174', () => {
  it('creates the PSBT', () => {
    const psbt = createPsbt({
      version: 2,
      inputs: [
        { outpoint: { txid: txid('75ddabb27b8845f5247975c8a5ba7c6f336c4570708ebe230caf6db5217ae858'), vout: 0 } },
        { outpoint: { txid: txid('1dea7cd05979072a3578cab271c02244ea8a090bbb46aa680a65ecd027048d83'), vout: 1 } },
      ],
      outputs: [
        { amountSats: 149_990_000n, script: hex('0014d85c2b71d0060b09c9886aeb815e50991dda124d') },
        { amountSats: 100_000_000n, script: hex('001400aea9a2e5f0f876a588df5546e8742d1d87008f') },
      ],
    });
    expect(asV0(psbt)).toBe(created);
  });

  it('updates it with transactions, scripts and keys, then with SIGHASH_ALL', () => {
    // The previous transactions of the example, taken from its result: they are too long for a page.
    const [first, second] = v0(updated).inputs.map((map) => map.get(INPUT.NON_WITNESS_UTXO));
    const nested = v0(updated).inputs[1]?.get(INPUT.WITNESS_UTXO);
    expect(parseTransaction(first as Uint8Array).outputs).toHaveLength(2);
    expect([second, nested?.length]).toEqual([null, 32]);
    const psbt = updatePsbt(v2(created), {
      inputs: [
        {
          index: 0,
          nonWitnessUtxo: first as Uint8Array,
          redeemScript: hex(
            '5221029583bf39ae0a609747ad199addd634fa6108559d6c5cd39b4c2183f1ab96e07f2102dab61ff49a14db6a7d02b0cd1fbb78fc4b18312b5b4e54dae4dba2fbfef536d752ae',
          ),
          bip32Derivations: [
            key('029583bf39ae0a609747ad199addd634fa6108559d6c5cd39b4c2183f1ab96e07f', 0),
            key('02dab61ff49a14db6a7d02b0cd1fbb78fc4b18312b5b4e54dae4dba2fbfef536d7', 1),
          ],
        },
        {
          index: 1,
          witnessUtxo: {
            amountSats: 200_000_000n,
            script: hex('a914b7f5faf40e3d40a5a459b1db3535f2b72fa921e887'),
          },
          redeemScript: hex('00208c2353173743b595dfb4a07b72ba8e42e3797da74e87fe7d9d7497e3b2028903'),
          witnessScript: hex(
            '522103089dc10c7ac6db54f91329af617333db388cead0c231f723379d1b99030b02dc21023add904f3d6dcf59ddb906b0dee23529b7ffb9ed50e5e86151926860221f0e7352ae',
          ),
          bip32Derivations: [
            key('03089dc10c7ac6db54f91329af617333db388cead0c231f723379d1b99030b02dc', 2),
            key('023add904f3d6dcf59ddb906b0dee23529b7ffb9ed50e5e86151926860221f0e73', 3),
          ],
        },
      ],
      outputs: [
        { index: 0, bip32Derivations: [key('03a9a4c37f5996d3aa25dbac6b570af0650394492942460b354753ed9eeca58771', 4)] },
        { index: 1, bip32Derivations: [key('027f6399757d2eff55a136ad02c684b1838b6556e5f1b6b34282a94b6b50051096', 5)] },
      ],
    });
    // The example lists keys as it came upon them; sorted by key they are the same.
    expect(asV0(combinePsbts([psbt]))).toBe(asV0(combinePsbts([v2(updated)])));
    const sighash = updatePsbt(v2(updated), {
      inputs: [
        { index: 0, sighashType: 1 },
        { index: 1, sighashType: 1 },
      ],
    });
    expect(asV0(sighash)).toBe(withSighash);
  });

  it('combines what two signers made, in either order', () => {
    expect(asV0(combinePsbts([v2(signedByOne), v2(signedByOther)]))).toBe(
      asV0(combinePsbts([v2(signedByOther), v2(signedByOne)])),
    );
    expect(asV0(combinePsbts([v2(signedByOne), v2(signedByOther)]))).toBe(asV0(combinePsbts([v2(combined)])));
  });

  it('keeps unknown fields of both, sorted by key', () => {
    expect(asV0(combinePsbts([v2(unknownOne), v2(unknownOther)]))).toBe(unknownBoth);
    expect(asV0(combinePsbts([v2(unknownOther), v2(unknownOne)]))).toBe(unknownBoth);
  });
});

describe('from version 0 to 2 and back', () => {
  it('every PSBT of version 0 of the vectors is the same again, byte for byte', () => {
    const old = parsing.map(({ b64 }) => psbtFromText(b64)).filter((psbt) => psbt.version === 0);
    expect(old.length).toBeGreaterThan(28);
    for (const psbt of old) {
      const there = psbtFromText(psbtToBase64(toVersion2(psbt)));
      expect(there.version).toBe(2);
      expect(asV0(there as PsbtV2)).toBe(psbtToBase64(psbt));
    }
  });
});
