/** A contract of given terms between two sides as one would expect them: one P2WPKH input each, P2WPKH payout and change. For fees alone. */
import { ByteWriter } from '../../blocks/byte-writer.ts';
import type { ContractInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import type { ContractParty } from '../dlc-messages.ts';
import { contractOf } from './contract-of.ts';
import type { DlcContract } from './dlc-contract.ts';

const FINAL_SEQUENCE = 0xffffffff;
/** The longest witness of a P2WPKH input: counts, a signature of 72 bytes and a key, each behind its length. */
const WITNESS_BYTES = 108;
/** More than any fee of two inputs, so that there is change. */
const BEYOND_SATS = 100_000_000n;
/** The public keys of the private keys 1 and 2. */
const KEYS = [
  '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
] as const;

export interface TypicalTerms {
  readonly info: ContractInfo;
  readonly offerCollateralSats: bigint;
  readonly feeRateSatVb: bigint;
  readonly dialect: Dialect;
}

export function typicalContract({ info, offerCollateralSats, feeRateSatVb, dialect }: TypicalTerms): DlcContract {
  const acceptCollateralSats = info.totalCollateralSats - offerCollateralSats;
  return contractOf(
    {
      protocolVersion: 1,
      contractFlags: 0,
      chainHash: new Uint8Array(32),
      temporaryContractId: new Uint8Array(32),
      contractInfo: info,
      party: party(0, offerCollateralSats),
      fundOutputSerialId: 5n,
      feeRateSatVb,
      cetLocktime: 0,
      refundLocktime: 1,
      tlvs: new Uint8Array(0),
    },
    party(1, acceptCollateralSats),
    dialect,
  );
}

function party(which: 0 | 1, collateralSats: bigint): ContractParty {
  const script = Buffer.concat([Buffer.of(0x00, 20), Buffer.alloc(20, which + 1)]);
  const serialId = BigInt(which + 1);
  return {
    fundingPublicKey: Buffer.from(KEYS[which], 'hex'),
    payoutScript: script,
    payoutSerialId: serialId,
    collateralSats,
    // Who brings nothing brings no inputs, for which nobody would pay.
    fundingInputs:
      collateralSats === 0n
        ? []
        : [
            {
              serialId,
              previousTransaction: paying(script, collateralSats + BEYOND_SATS, which),
              previousVout: 0,
              sequence: FINAL_SEQUENCE,
              maxWitnessLength: WITNESS_BYTES,
              redeemScript: new Uint8Array(0),
            },
          ],
    changeScript: script,
    changeSerialId: serialId + 2n,
  };
}

/** A transaction with one output; `locktime` tells two with equal outputs apart. */
function paying(script: Uint8Array, amountSats: bigint, locktime: number): Uint8Array {
  const writer = new ByteWriter(128)
    .uint32(2)
    .compactSize(1)
    .hash('00'.repeat(32))
    .uint32(0)
    .prefixed(new Uint8Array(0));
  return writer.uint32(FINAL_SEQUENCE).compactSize(1).int64(amountSats).prefixed(script).uint32(locktime).done();
}
