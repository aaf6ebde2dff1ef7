/** What contracts' operations cost most with: offers of as much of everything as is taken, and what oracles say. */
import type { ContractInfo } from '../../../src/core/dlc/contract-info.ts';
import { serializeAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeNonceProofs } from '../../../src/core/dlc/messages/nonce-proofs.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { proveNonce } from '../../../src/core/dlc/oracle/nonce-proofs.ts';
import { enumeratedInfo, numericInfo, oracleInfo, testOffer, testParty } from '../dlc-messages.ts';
import { digitsEvent, enumEvent, fixedBytes, secretOf, testOracle } from '../dlc-oracle.ts';
import type { Given } from '../operation-calls.ts';
import type { OperationWorld } from '../operation-world.ts';

type Worst<T> = Readonly<Record<string, (world: OperationWorld) => Promise<Readonly<Record<string, T>>>>>;

const COLLATERAL = 10_000_000n;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Without coins, so that it is taken: the other side brings everything. */
const offerOf = (info: ContractInfo, name: string): string => {
  const offerer = testParty(name, 0n, []);
  return hex(serializeOffer(testOffer({ info, offerer, changed: { refundLocktime: 1_900_000_000 } }), 'tagged'));
};

/** One event of so many outcomes, each paid otherwise. */
function manyOutcomes(count: number): ContractInfo {
  const outcomes = Array.from({ length: count }, (_, at) => at.toString(36).padStart(40, '_'));
  const payouts = Object.fromEntries(outcomes.map((outcome, at) => [outcome, BigInt(at) * 7n]));
  return enumeratedInfo(COLLATERAL, payouts, oracleInfo([testOracle('of many').announce(enumEvent(...outcomes))]));
}

const steep = (digits: number) =>
  [
    [0n, 0n],
    [(1n << BigInt(digits)) - 1n, 3n],
  ] as const;

/** So many events of one oracle each. */
const manyEvents = (count: number, digits: number): ContractInfo => ({
  totalCollateralSats: COLLATERAL,
  disjoint: true,
  cases: Array.from({ length: count }, (_, at) => {
    const announced = testOracle('busy').announce(digitsEvent(digits), `event ${at}`);
    return numericInfo(COLLATERAL, steep(digits), oracleInfo([announced])).cases[0]!;
  }),
});

/** So many oracles of one event of so many digits, all of which decide. */
const manyOracles = (count: number, digits: number): ContractInfo => {
  const announced = Array.from({ length: count }, (_, at) => testOracle(`of ${at}`).announce(digitsEvent(digits)));
  return numericInfo(COLLATERAL, steep(digits), oracleInfo(announced, count));
};

const INFOS = {
  outcomes: () => manyOutcomes(1_500),
  'too many outcomes': () => manyOutcomes(20_000),
  events: () => manyEvents(100, 12),
  oracles: () => manyOracles(20, 63),
  'too many oracles': () => manyOracles(100, 63),
};
const offers = () =>
  Object.fromEntries(Object.entries(INFOS).map(([name, info]) => [name, offerOf(info(), `worst ${name}`)]));

const ODD = Array.from({ length: 63 }, (_, at) => `${at % 2}`);
const EVEN = ODD.toReversed();
const announced = () => testOracle('of digits').announce(digitsEvent(63), 'of digits');

function provenAnnouncement() {
  const announcement = announced();
  const proofs = announcement.event.nonces.map((_, at) =>
    proveNonce(
      announcement,
      { nonce: secretOf(`oracle of digits, of digits, nonce ${at}`), fresh: secretOf(`fresh ${at}`) },
      { randomBytes: fixedBytes },
    ),
  );
  return {
    announcement: hex(serializeAnnouncement(announcement)),
    proof: hex(serializeNonceProofs(new Map([[0, proofs]]))),
  };
}
const attestationOf = (digits: string[]): string =>
  hex(serializeAttestation(testOracle('of digits').attest(announced(), digits)));

/** Registered once, with its event. */
const known = new WeakMap<OperationWorld, Promise<unknown>>();
async function theOracle(world: OperationWorld): Promise<void> {
  const register = async () => {
    const body = { name: 'of digits', public_key: hex(testOracle('of digits').publicKey) };
    await world.make('POST', '/api/v1/dlc/oracles', body);
    await world.make('POST', '/api/v1/dlc/announcements', provenAnnouncement());
  };
  const registered = known.get(world) ?? register();
  known.set(world, registered);
  await registered;
}

/** Bodies. An offer whose oracles are not accepted is refused last of all: it costs as much each time. */
export const WORST_CONTRACT_BODIES: Worst<unknown> = {
  'contract.receive': async () =>
    Object.fromEntries(
      Object.entries(offers()).map(([name, message]) => [name, { message, accept_unproven_oracles: true }]),
    ),
  'contract.check': async () =>
    Object.fromEntries(
      Object.entries(offers()).map(([name, offer]) => [name, { offer, accept_unproven_oracles: true }]),
    ),
  'contract.decode': async () =>
    Object.fromEntries(Object.entries(offers()).map(([name, message]) => [name, { message }])),
  'oracle.verify-attestations': async () => {
    const attestations = [ODD, EVEN, ODD, EVEN].map(attestationOf);
    return { digits: { announcement: provenAnnouncement().announcement, attestations } };
  },
  'oracle.add-announcement': async (world) => {
    await theOracle(world);
    return { digits: provenAnnouncement() };
  },
  'oracle.attest': async (world) => {
    await theOracle(world);
    return { digits: { attestation: attestationOf(ODD) } };
  },
  'oracle.announce': async () => {
    const event = { oracle: 'local', maturity: '2026-11-01T12:00:00Z' };
    const outcomes = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(60, '_'));
    return { digits: { ...event, numeric: { digits: 63, signed: true } }, outcomes: { ...event, outcomes } };
  },
};

/** Contracts that were taken, to be read. */
const taken = new WeakMap<OperationWorld, Promise<Readonly<Record<string, Given>>>>();
async function receiveAll(world: OperationWorld): Promise<Readonly<Record<string, Given>>> {
  const made: Record<string, Given> = {};
  for (const name of ['outcomes', 'events', 'oracles'] as const) {
    const info = INFOS[name]();
    const keys = info.cases.flatMap(({ oracleInfo: one }) =>
      (one.kind === 'single' ? [one.announcement] : one.announcements).map(({ publicKey }) => hex(publicKey)),
    );
    const { contract_id } = await world.make('POST', '/api/v1/dlc/offers', {
      message: offerOf(info, `to be read: ${name}`),
      accept_oracles: [...new Set(keys)],
      accept_unproven_oracles: true,
    });
    made[name] = { params: { contract_id } };
  }
  return made;
}
const theContracts = (world: OperationWorld): Promise<Readonly<Record<string, Given>>> => {
  const made = taken.get(world) ?? receiveAll(world);
  taken.set(world, made);
  return made;
};

/** Other requests than by their bodies. */
export const WORST_CONTRACT_REQUESTS: Worst<Given> = Object.fromEntries(
  [
    ...['contract.get', 'dlc-contract.get', 'contract.verify', 'contract.cancel'],
    ...['contract-message.list', 'contract-payout.list', 'contract-picture.get', 'contract-fee.list'],
  ].map((id) => [id, theContracts]),
);
