/**
 * Contracts for tests: what is bet on, the parties with their coins, and the three messages, signed by both sides. Everything comes out
 * of names, so that equal calls give equal bytes.
 */
import { hash } from 'node:crypto';
import { script, Transaction } from 'bitcoinjs-lib';
import { contractOf } from '../../src/core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../src/core/dlc/contract/dlc-contract.ts';
import { signCets } from '../../src/core/dlc/contract/sign-cets.ts';
import { signRefund } from '../../src/core/dlc/contract/sign-refund.ts';
import type { ContractInfo, OracleInfo, OracleParams, PayoutFunction } from '../../src/core/dlc/contract-info.ts';
import type { Dialect } from '../../src/core/dlc/dialect.ts';
import type {
  AcceptMessage,
  ContractParty,
  FundingInput,
  OfferMessage,
  SignMessage,
} from '../../src/core/dlc/dlc-messages.ts';
import type { OracleAnnouncement } from '../../src/core/dlc/oracle-event.ts';
import { hash160 } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { buildTransaction } from '../../src/core/transactions/build-transaction.ts';
import { digitsEvent, enumEvent, fixedBytes, secretOf, testOracle } from './dlc-oracle.ts';

/** Regtest's genesis hash, internal byte order. */
const REGTEST = Uint8Array.from(Buffer.from('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f', 'hex'));

export interface TestParty {
  readonly name: string;
  readonly fundingPrivateKey: Uint8Array;
  /** What each of the party's funding inputs, all P2WPKH, is spent with. */
  readonly coinPrivateKey: Uint8Array;
  readonly party: ContractParty;
}

/** A party with one coin for each amount. Serial ids go beyond 2^53. */
export function testParty(name: string, collateralSats: bigint, coinsSats: readonly bigint[]): TestParty {
  const fundingPrivateKey = secretOf(`${name}, funding`);
  const coinPrivateKey = secretOf(`${name}, coins`);
  const coinScript = witnessKeyHash(publicKeyOf(coinPrivateKey));
  return {
    name,
    fundingPrivateKey,
    coinPrivateKey,
    party: {
      fundingPublicKey: publicKeyOf(fundingPrivateKey),
      payoutScript: witnessKeyHash(publicKeyOf(secretOf(`${name}, payout`))),
      payoutSerialId: serialId(`${name}, payout`),
      collateralSats,
      fundingInputs: coinsSats.map((amountSats, at) => fundingInput(`${name}, coin ${at}`, coinScript, amountSats)),
      changeScript: witnessKeyHash(publicKeyOf(secretOf(`${name}, change`))),
      changeSerialId: serialId(`${name}, change`),
    },
  };
}

/** The second output of a transaction that nobody made. */
export function fundingInput(seed: string, scriptPubKey: Uint8Array, amountSats: bigint): FundingInput {
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(hash('sha256', `the transaction before: ${seed}`, 'buffer'), 0);
  transaction.addOutput(scriptPubKey, 1_000n);
  transaction.addOutput(scriptPubKey, amountSats);
  return {
    serialId: serialId(seed),
    previousTransaction: Uint8Array.from(transaction.toBuffer()),
    previousVout: 1,
    sequence: 0xffffffff,
    maxWitnessLength: 107,
    redeemScript: new Uint8Array(0),
  };
}

/** One announcement, or `threshold` of several. */
export const oracleInfo = (
  announcements: readonly OracleAnnouncement[],
  threshold = 1,
  params: OracleParams | null = null,
): OracleInfo =>
  announcements.length === 1
    ? { kind: 'single', announcement: announcements[0] as OracleAnnouncement }
    : { kind: 'multi', threshold, announcements, params };

/** `payouts`: the offerer's share by outcome. */
export const enumeratedInfo = (
  totalCollateralSats: bigint,
  payouts: Readonly<Record<string, bigint>>,
  oracles: OracleInfo,
): ContractInfo => ({
  totalCollateralSats,
  disjoint: false,
  cases: [
    {
      descriptor: {
        kind: 'enumerated',
        payouts: Object.entries(payouts).map(([outcome, offerPayoutSats]) => ({ outcome, offerPayoutSats })),
      },
      oracleInfo: oracles,
    },
  ],
});

/** Straight lines between `points`: [outcome, the offerer's payout]. The last is that of the greatest outcome. */
export const numericInfo = (
  totalCollateralSats: bigint,
  points: readonly (readonly [bigint, bigint])[],
  oracles: OracleInfo,
  roundingMod = 1n,
): ContractInfo => ({
  totalCollateralSats,
  disjoint: false,
  cases: [
    {
      descriptor: {
        kind: 'numeric',
        digits: (points.at(-1) as readonly [bigint, bigint])[0].toString(2).length,
        payoutFunction: linesThrough(points),
        roundingIntervals: roundingMod === 1n ? [] : [{ beginInterval: 0n, roundingMod }],
      },
      oracleInfo: oracles,
    },
  ],
});

/** heads: all to the offerer; tails: all to the accepter; edge: half each. */
export const coinTossInfo = (totalCollateralSats: bigint, dialect: Dialect = 'tagged'): ContractInfo =>
  enumeratedInfo(
    totalCollateralSats,
    { heads: totalCollateralSats, tails: 0n, edge: totalCollateralSats / 2n },
    oracleInfo([testOracle('toss', dialect).announce(enumEvent('heads', 'tails', 'edge'), 'toss')]),
  );

/** A price of `digits` binary digits: nothing to the offerer at 0, all at the highest. */
export const priceInfo = (
  totalCollateralSats: bigint,
  digits: number,
  roundingMod = 1n,
  dialect: Dialect = 'tagged',
): ContractInfo =>
  numericInfo(
    totalCollateralSats,
    [
      [0n, 0n],
      [(1n << BigInt(digits)) - 1n, totalCollateralSats],
    ],
    oracleInfo([testOracle('price', dialect).announce(digitsEvent(digits), 'price')]),
    roundingMod,
  );

export interface TestContract {
  readonly offerer: TestParty;
  readonly accepter: TestParty;
  readonly offer: OfferMessage;
  readonly accept: AcceptMessage;
  readonly sign: SignMessage;
  readonly contract: DlcContract;
}

export interface TestContractTerms {
  readonly info: ContractInfo;
  readonly dialect?: Dialect;
  /** Default: half. */
  readonly offerCollateralSats?: bigint;
  readonly offerer?: TestParty;
  readonly accepter?: TestParty;
  /** What stands in the offer otherwise. */
  readonly changed?: Partial<OfferMessage>;
}

/** An offer for `info`, without anybody's signature. */
export function testOffer({ info, offerer = defaultOfferer(info), changed = {} }: TestContractTerms): OfferMessage {
  return {
    protocolVersion: 1,
    contractFlags: 0,
    chainHash: REGTEST,
    temporaryContractId: Uint8Array.from(hash('sha256', `${offerer.name}, temporary id`, 'buffer')),
    contractInfo: info,
    party: offerer.party,
    fundOutputSerialId: serialId(`${offerer.name}, funding output`),
    feeRateSatVb: 2n,
    cetLocktime: 0,
    refundLocktime: 1_800_000_000,
    tlvs: new Uint8Array(0),
    ...changed,
  };
}

/** The contract whole: both sides' adaptor, refund and funding signatures are good. */
export function testContract(terms: TestContractTerms): TestContract {
  const { info, dialect = 'tagged' } = terms;
  const offerer = terms.offerer ?? defaultOfferer(info, terms.offerCollateralSats);
  const offer = testOffer({ ...terms, offerer });
  const left = info.totalCollateralSats - offer.party.collateralSats;
  const accepter = terms.accepter ?? testParty('accepter', left, [left + 100_000n]);
  const contract = contractOf(offer, accepter.party, dialect);
  const signatures = ({ fundingPrivateKey }: TestParty) => ({
    cetAdaptorSignatures: signCets(
      contract,
      fundingPrivateKey,
      { from: 0, to: contract.caseCount },
      { randomBytes: fixedBytes },
    ),
    refundSignature: signRefund(contract, fundingPrivateKey),
  });
  const rest = { protocolVersion: 1, tlvs: new Uint8Array(0) };
  const { temporaryContractId } = offer;
  return {
    offerer,
    accepter,
    offer,
    accept: { ...rest, temporaryContractId, party: accepter.party, ...signatures(accepter), negotiationFields: null },
    sign: {
      ...rest,
      contractId: contract.contractId,
      ...signatures(offerer),
      fundingSignatures: fundingWitnesses(contract, 'offer', offerer),
    },
    contract,
  };
}

/** A witness stack for each of the party's P2WPKH inputs, in its message's order. */
export function fundingWitnesses(
  { fundingTransaction: funding }: DlcContract,
  side: 'offer' | 'accept',
  { coinPrivateKey }: TestParty,
): Uint8Array[][] {
  const transaction = buildTransaction(funding);
  const publicKey = publicKeyOf(coinPrivateKey);
  const scriptCode = Buffer.concat([Buffer.from('76a914', 'hex'), hash160(publicKey), Buffer.from('88ac', 'hex')]);
  const witnesses: Uint8Array[][] = [];
  for (const [index, input] of funding.inputs.entries()) {
    if (input.side !== side) continue;
    const sighash = transaction.hashForWitnessV0(index, scriptCode, input.amountSats, Transaction.SIGHASH_ALL);
    const signature = script.signature.encode(ecc.signEcdsa(sighash, coinPrivateKey), Transaction.SIGHASH_ALL);
    witnesses[input.position] = [Uint8Array.from(signature), publicKey];
  }
  return witnesses;
}

const defaultOfferer = ({ totalCollateralSats }: ContractInfo, collateralSats = totalCollateralSats / 2n): TestParty =>
  testParty('offerer', collateralSats, [collateralSats + 100_000n]);

const linesThrough = (points: readonly (readonly [bigint, bigint])[]): PayoutFunction => {
  const ends = points.map(([eventOutcome, payoutSats]) => ({ eventOutcome, payoutSats, extraPrecision: 0 }));
  const lastEndPoint = ends.pop();
  if (!lastEndPoint || ends.length === 0) throw new TypeError('a curve has two points or more');
  return { pieces: ends.map((endPoint) => ({ endPoint, curve: { kind: 'polynomial', points: [] } })), lastEndPoint };
};

const publicKeyOf = (privateKey: Uint8Array): Uint8Array =>
  Uint8Array.from(ecc.pointFromScalar(privateKey, true) as Uint8Array);

const witnessKeyHash = (publicKey: Uint8Array): Uint8Array =>
  Uint8Array.from(Buffer.concat([Buffer.from('0014', 'hex'), hash160(publicKey)]));

const serialId = (seed: string): bigint =>
  hash('sha256', `serial id: ${seed}`, 'buffer').readBigUInt64BE(0) | (1n << 60n);
