/** What a CET tells that the other side broadcast: read out of it beside the thread that answers requests, and kept for others. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openComputing } from '../../../src/app/open-computing.ts';
import { settle } from '../../../src/core/dlc/contract/settle.ts';
import { settleRefund } from '../../../src/core/dlc/contract/sign-refund.ts';
import type { ContractInfo } from '../../../src/core/dlc/contract-info.ts';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { parseAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { OracleAttestation } from '../../../src/core/dlc/oracle-event.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createContractMoves } from '../../../src/services/contracts/contract-moves.ts';
import { createLearnOutcome } from '../../../src/services/contracts/settlement/learn-outcome.ts';
import { createAdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { coinTossInfo, priceInfo, type TestContract, testContract } from '../../builders/dlc-messages.ts';
import { digitsOf, testOracle } from '../../builders/dlc-oracle.ts';
import { accountRecord, txidOf } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

const TOTAL = 1_000_000n;
const tools = { network: 'regtest', randomBytes } as const;

function attested(info: ContractInfo, oracle: string, outcomes: readonly string[]): OracleAttestation {
  const { oracleInfo } = info.cases[0]!;
  if (oracleInfo.kind !== 'single') throw new Error('one oracle');
  return testOracle(oracle).attest(oracleInfo.announcement, outcomes);
}

/** As the other side, whose keys are not here, has made it. */
function cetOf({ contract, offerer, accept }: TestContract, attestation: OracleAttestation): Uint8Array {
  const keys = { side: 'offer', privateKey: offerer.fundingPrivateKey } as const;
  return settle(contract, [attestation], { ...keys, counterpartySignatures: accept.cetAdaptorSignatures }).transaction
    .raw;
}

async function learning(made: TestContract, transaction: Uint8Array, computing = computeHere(tools)) {
  const sqlite = await openTemporarySqlite();
  onTestFinished(() => sqlite.close());
  const { store } = sqlite;
  const closingTxid = txidOf('closing') as Txid;
  const record = contractRecord('ctr_one', { role: 'accepter', status: 'executed', closingTxid, closingKind: 'cet' });
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord());
    await tx.contracts.insert(record);
    await tx.contracts.putMessage('acc_one', 'ctr_one', 'offer', serializeOffer(made.offer, 'tagged'));
    await tx.contracts.putMessage('acc_one', 'ctr_one', 'accept', serializeAccept(made.accept, 'tagged'));
    await tx.contracts.putMessage('acc_one', 'ctr_one', 'sign', serializeSign(made.sign, 'tagged'));
  });
  const jobs: string[] = [];
  const kept: { attestation: Uint8Array; source: string }[] = [];
  const step = createLearnOutcome({
    ...{ store, log: silent, chain: { block: async () => null } },
    moves: createContractMoves({ store, clock: Date.now }),
    cets: createAdaptorWork({
      randomBytes,
      computing: {
        parallel: computing.parallel,
        runPart(name, given, options) {
          jobs.push(name);
          return computing.runPart(name, given as never, options) as never;
        },
      },
    }),
    oracles: {
      async storeAttestation(_, attestation, source) {
        kept.push({ attestation, source });
        return {} as never;
      },
    },
    previousTransactions: async () => new Map([[closingTxid, transaction]]),
  });
  expect(step.wants(record)).toBe(true);
  const after = await step.run(record, new AbortController().signal);
  return { after, jobs, kept };
}

describe('a CET of the other side', () => {
  const price = testContract({ info: priceInfo(TOTAL, 6) });
  const six = attested(price.offer.contractInfo, 'price', digitsOf(6n, 6));

  it('of many is read in a worker', async () => {
    const computing = openComputing(tools, { size: 1 });
    onTestFinished(() => computing.close(0));
    const { after, jobs, kept } = await learning(price, cetOf(price, six), computing);
    expect(after).toMatchObject({ status: 'executed', outcome: '6', closingKind: 'cet' });
    expect(jobs).toEqual(['dlc.learn']);
    // The sum of several signatures is none of them.
    expect(kept).toEqual([]);
  });

  it('of one nonce shows the attestation, which is kept', async () => {
    const toss = testContract({ info: coinTossInfo(TOTAL) });
    const edge = attested(toss.offer.contractInfo, 'toss', ['edge']);
    const { after, kept } = await learning(toss, cetOf(toss, edge));
    expect(after).toMatchObject({ outcome: 'edge' });
    expect(kept).toMatchObject([{ source: 'chain' }]);
    const found = parseAttestation(kept[0]!.attestation);
    expect(found.outcomes).toEqual(['edge']);
    expect(Buffer.from(found.signatures[0]!)).toEqual(Buffer.from(edge.signatures[0]!));
    expect(Buffer.from(found.publicKey)).toEqual(Buffer.from(edge.publicKey));
  });

  it('is opened by either side', async () => {
    const { contract, accepter, sign } = price;
    const keys = { side: 'accept', privateKey: accepter.fundingPrivateKey } as const;
    const { transaction } = settle(contract, [six], { ...keys, counterpartySignatures: sign.cetAdaptorSignatures });
    expect((await learning(price, transaction.raw)).after).toMatchObject({ outcome: '6' });
  });

  it('that was made by opening no signature is something else', async () => {
    const { contract, accept, offerer } = price;
    const refund = settleRefund(contract, {
      ...{ side: 'offer', privateKey: offerer.fundingPrivateKey },
      counterpartySignature: accept.refundSignature,
    });
    const { after, kept } = await learning(price, refund.raw);
    expect(after).toMatchObject({ outcome: null, closingKind: 'unknown' });
    expect(kept).toEqual([]);
  });
});
