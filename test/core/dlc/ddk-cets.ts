/** A contract's CETs and oracles in ddk-ts's form. */
import type { OracleInfo as DdkOracle, Transaction as DdkTransaction } from '@bennyblader/ddk-ts';
import type { DlcContract } from '../../../src/core/dlc/contract/dlc-contract.ts';
import { announcementsOf } from '../../../src/core/dlc/contract/encryption-points.ts';
import { attestationHash } from '../../../src/core/dlc/oracle/message-hash.ts';
import { buildTransaction } from '../../../src/core/transactions/build-transaction.ts';

export function ddkCet(contract: DlcContract, caseIndex: number): DdkTransaction {
  const cet = contract.cetOf(caseIndex);
  return {
    version: cet.version,
    lockTime: cet.locktime,
    inputs: cet.inputs.map(({ txid, vout, sequence }) => ({
      txid,
      vout,
      sequence,
      scriptSig: Buffer.alloc(0),
      witness: [],
    })),
    outputs: cet.outputs.map(({ scriptPubKey, amountSats }) => ({
      value: amountSats,
      scriptPubkey: Buffer.from(scriptPubKey, 'hex'),
    })),
    rawBytes: Buffer.from(buildTransaction(cet).toBuffer()),
  };
}

/** The oracles that decide a case, and the hashes of what each of them attests, in the same order. */
export function ddkOracles(contract: DlcContract, caseIndex: number): { oracles: DdkOracle[]; messages: Buffer[][] } {
  const announcements = announcementsOf(contract.partOf(caseIndex).contractCase.oracleInfo);
  const { attested } = contract.caseAt(caseIndex);
  return {
    oracles: attested.map(({ oracle }) => {
      const { publicKey, event } = announcements[oracle] as (typeof announcements)[number];
      return { publicKey: Buffer.from(publicKey), nonces: event.nonces.map((nonce) => Buffer.from(nonce)) };
    }),
    messages: attested.map(({ outcomes }) =>
      outcomes.map((outcome) => Buffer.from(attestationHash(outcome, contract.dialect))),
    ),
  };
}
