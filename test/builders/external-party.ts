/** A counterparty that is no service: its messages are made by hand, so that each can be wrong in its own way. */
import { address, networks } from 'bitcoinjs-lib';
import type { SimulatedChain } from '../../src/chain/simulated/simulated-chain.ts';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { contractOf } from '../../src/core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../src/core/dlc/contract/dlc-contract.ts';
import { signCets } from '../../src/core/dlc/contract/sign-cets.ts';
import { signRefund } from '../../src/core/dlc/contract/sign-refund.ts';
import type { AcceptMessage, FundingInput, OfferMessage, SignMessage } from '../../src/core/dlc/dlc-messages.ts';
import { parseAccept } from '../../src/core/dlc/messages/accept.ts';
import { parseOffer } from '../../src/core/dlc/messages/offer.ts';
import type { ContractParties } from './contract-parties.ts';
import { fundingInput, fundingWitnesses, type TestParty, testParty } from './dlc-messages.ts';
import { fixedBytes } from './dlc-oracle.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A party with a coin that is in the chain. */
export async function externalParty(
  parties: ContractParties,
  name: string,
  collateralSats: bigint,
): Promise<TestParty> {
  const coinsSats = collateralSats + 100_000n;
  const made = testParty(name, collateralSats, [coinsSats]);
  const [imagined] = made.party.fundingInputs;
  const script = scriptOf(imagined!.previousTransaction);
  const input = { ...imagined!, ...(await coinFor(parties, script, coinsSats)) };
  return { ...made, party: { ...made.party, fundingInputs: [input] } };
}

/** The same where there is nobody to pay for its coin: what a block pays to its miner, grown old enough to be spent. */
export async function aMiner(
  { chain, mine }: { chain: SimulatedChain; mine(count: number): Promise<void> },
  name: string,
  collateralSats: bigint,
): Promise<TestParty> {
  const made = testParty(name, collateralSats, [collateralSats]);
  const [imagined] = made.party.fundingInputs;
  const [block] = await chain.mine(1, hex(scriptOf(imagined!.previousTransaction)));
  await mine(COINBASE_AGE);
  const previousTransaction = (await chain.block(block!.hash))!.bytes.subarray(BLOCK_HEAD);
  const input = { ...imagined!, previousTransaction, previousVout: 0 };
  return { ...made, party: { ...made.party, fundingInputs: [input] } };
}

const COINBASE_AGE = 100;
/** A header and the count of transactions: the coinbase is all there is behind it. */
const BLOCK_HEAD = 81;

/** The script that testParty's coins are paid to. */
const scriptOf = (previousTransaction: Uint8Array): Uint8Array => {
  // Its last output, before the lock time: a length of 22 and the script.
  const end = previousTransaction.length - 4;
  return previousTransaction.subarray(end - 22, end);
};

/** Paid by the offerer's wallet, in a block. */
async function coinFor({ offerer, mine }: ContractParties, script: Uint8Array, amountSats: bigint) {
  const to = address.fromOutputScript(script, networks.regtest);
  const amount = (Number(amountSats) / 1e8).toFixed(8);
  const payment = { recipients: [{ address: to, amount }], fee_rate: '2', rbf: true, wallet_id: offerer.walletId };
  const { txid } = await offerer.make('POST', '/api/v1/transactions', payment);
  await mine();
  const { transaction, outputs } = await offerer.make('GET', `/api/v1/bitcoin/transactions/${txid}`);
  const previousVout = (outputs as { address: string }[]).findIndex((output) => output.address === to);
  return { previousTransaction: Uint8Array.from(Buffer.from(transaction, 'hex')), previousVout };
}

/** A coin that nobody made. */
export function imaginedCoin(seed: string, { name }: TestParty): FundingInput {
  const [imagined] = testParty(name, 0n, [1n]).party.fundingInputs;
  return fundingInput(seed, scriptOf(imagined!.previousTransaction), 10_000_000n);
}

/** The coin that paid for the stranger's: it was there once. */
export async function spentCoin({ offerer }: ContractParties, { party }: TestParty): Promise<FundingInput> {
  const [input] = party.fundingInputs;
  const [spent] = parseTransaction(input!.previousTransaction).inputs;
  const { transaction } = await offerer.make('GET', `/api/v1/bitcoin/transactions/${spent!.prev.txid}`);
  return {
    ...input!,
    previousTransaction: Uint8Array.from(Buffer.from(transaction, 'hex')),
    previousVout: spent!.prev.vout,
  };
}

/** The honest answer to an offer, before anything is changed. */
export function acceptanceOf(offerHex: string, accepter: TestParty): { accept: AcceptMessage; contract: DlcContract } {
  const offer = parseOffer(Buffer.from(offerHex, 'hex'), 'tagged');
  const contract = contractOf(offer, accepter.party, 'tagged');
  return {
    contract,
    accept: {
      protocolVersion: 1,
      temporaryContractId: offer.temporaryContractId,
      party: accepter.party,
      ...signaturesBy(accepter, contract),
      negotiationFields: null,
      tlvs: new Uint8Array(0),
    },
  };
}

/** The honest sign message of whoever offered. */
export function signatureOf(offer: OfferMessage, acceptHex: string, offerer: TestParty): SignMessage {
  const { party } = parseAccept(Buffer.from(acceptHex, 'hex'), 'tagged');
  const contract = contractOf(offer, party, 'tagged');
  return {
    protocolVersion: 1,
    contractId: contract.contractId,
    ...signaturesBy(offerer, contract),
    fundingSignatures: fundingWitnesses(contract, 'offer', offerer),
    tlvs: new Uint8Array(0),
  };
}

function signaturesBy({ fundingPrivateKey }: TestParty, contract: DlcContract) {
  const range = { from: 0, to: contract.caseCount };
  return {
    cetAdaptorSignatures: signCets(contract, fundingPrivateKey, range, { randomBytes: fixedBytes }),
    refundSignature: signRefund(contract, fundingPrivateKey),
  };
}

export const asHex = hex;

/** A copy with one byte changed. */
export function spoilt(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

const ADAPTOR_BYTES = 162;
/** A copy in which the signatures of two cases stand in each other's place. */
export function exchanged(signatures: Uint8Array, one: number, other: number): Uint8Array {
  const copy = Uint8Array.from(signatures);
  const at = (index: number) => signatures.subarray(index * ADAPTOR_BYTES, (index + 1) * ADAPTOR_BYTES);
  copy.set(at(other), one * ADAPTOR_BYTES);
  copy.set(at(one), other * ADAPTOR_BYTES);
  return copy;
}

/** A copy in which the signature of one case is wrong. */
export const spoiltCase = (signatures: Uint8Array, index: number): Uint8Array =>
  spoilt(signatures, index * ADAPTOR_BYTES + 40);
