import type { JobTools } from '../engines/computing/all-jobs.ts';
import { computeHere } from '../engines/computing/compute-here.ts';
import { descriptorOperations } from '../families/b-categories/bitcoin/descriptors/index.ts';
import { verifyHeader } from '../families/b-categories/bitcoin/headers/verify-header.ts';
import { verifyMerkleProof } from '../families/b-categories/bitcoin/merkle-proofs/verify-merkle-proof.ts';
import { scriptOperations } from '../families/b-categories/bitcoin/scripts/index.ts';
import { decodeChainTransaction } from '../families/b-categories/bitcoin/transactions/decode-chain-transaction.ts';
import { testChainTransaction } from '../families/b-categories/bitcoin/transactions/test-chain-transaction.ts';
import { uriOperations } from '../families/b-categories/bitcoin/uris/index.ts';
import { verifyAttestationsOracle } from '../families/b-categories/dlc/attestations/verify-attestations-oracle.ts';
import { decodeContract } from '../families/b-categories/dlc/messages/decode-contract.ts';
import { checkContract } from '../families/b-categories/dlc/verification/check-contract.ts';
import { aggregateMusigKey } from '../families/b-categories/taproot/musig-keys/aggregate-musig-key.ts';
import { previewTaprootOutput } from '../families/b-categories/taproot/outputs/preview-taproot-output.ts';
import { computeTaprootSignatureHash } from '../families/b-categories/taproot/signature-hashes/compute-taproot-signature-hash.ts';
import { verifyTaprootSpend } from '../families/b-categories/taproot/spends/verify-taproot-spend.ts';
import { psbtOperations } from '../families/e-psbt/psbt-operations.ts';
import type { AnyOperation } from '../hooks/operation.ts';
import { createPsbtService } from '../services/psbt/psbt-service.ts';

/** The operations that are worked on in worker threads, on services that have nothing but the tools. */
export function workerOperations(tools: JobTools): AnyOperation[] {
  const { network } = tools;
  const computing = computeHere(tools);
  const psbts = createPsbtService({ chain: null, network, computing });
  return [
    ...psbtOperations({ psbts }),
    decodeContract(),
    verifyAttestationsOracle(),
    checkContract({ network, contracts: null }),
    ...scriptOperations(tools),
    ...descriptorOperations(tools),
    ...uriOperations(tools),
    verifyHeader(network),
    verifyMerkleProof(network),
    decodeChainTransaction(network),
    testChainTransaction(null),
    computeTaprootSignatureHash(tools),
    verifyTaprootSpend(tools),
    previewTaprootOutput(tools),
    aggregateMusigKey(tools),
  ];
}
