/**
 * Adaptor signatures of contracts: a 1,000-outcome enumerated contract against ddk-ts native, and a 10,000-CET numeric contract end to end in the engine.
 * Run: node test/bench/dlc-signing.ts [ROUNDS]
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openComputing } from '../../src/app/open-computing.ts';
import { firstInvalid } from '../../src/core/dlc/adaptor-signatures/verify-adaptor-signature.ts';
import { contractOf } from '../../src/core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../src/core/dlc/contract/dlc-contract.ts';
import { signatureAt, signCets, verifyCets } from '../../src/core/dlc/contract/sign-cets.ts';
import type { ContractInfo } from '../../src/core/dlc/contract-info.ts';
import { serializeAccept } from '../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../src/core/dlc/messages/offer.ts';
import { basePlusPoint, basePlusPointPlainly } from '../../src/core/keys/base-plus-point.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { type AdaptorWork, createAdaptorWork } from '../../src/services/contracts/signing/adaptor-work.ts';
import { enumeratedInfo, oracleInfo, priceInfo, testOffer, testParty } from '../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../builders/dlc-oracle.ts';
import { ddk } from '../core/dlc/ddk.ts';
import { ddkCet, ddkOracles } from '../core/dlc/ddk-cets.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const TOTAL = 10_000_000n;
const tools = { randomBytes };
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** CPU time, so that what else the machine does counts little; and the clock's. */
function timed<T>(work: () => T): { ms: number; clockMs: number; made: T } {
  const [began, clock] = [process.cpuUsage(), performance.now()];
  const made = work();
  const { user, system } = process.cpuUsage(began);
  return { ms: (user + system) / 1000, clockMs: performance.now() - clock, made };
}

/** A contract that nobody has seen before: nothing of it is known. */
function fresh(info: ContractInfo) {
  const name = randomBytes(4).toString('hex');
  const [offerer, accepter] = ['offerer', 'accepter'].map((side) =>
    testParty(`${side} ${name}`, TOTAL / 2n, [TOTAL / 2n + 100_000n]),
  ) as [ReturnType<typeof testParty>, ReturnType<typeof testParty>];
  const offer = testOffer({ info, offerer });
  const accept = {
    protocolVersion: 1,
    temporaryContractId: offer.temporaryContractId,
    party: accepter.party,
    cetAdaptorSignatures: new Uint8Array(0),
    refundSignature: new Uint8Array(64),
    negotiationFields: null,
    tlvs: new Uint8Array(0),
  };
  const messages = {
    offer: serializeOffer(offer, 'tagged'),
    accept: serializeAccept(accept, 'tagged'),
    dialect: 'tagged',
  } as const;
  return { offerer, accepter, messages, contract: () => contractOf(offer, accepter.party, 'tagged') };
}

/** A price of 20 digits between nothing and all, the payout rounded so that some 10,000 CETs come of it. */
const [DIGITS, ROUNDING] = [20, 10_000n];

const OUTCOMES = Array.from({ length: 1_000 }, (_, at) => `outcome ${at}`);
const enumerated = enumeratedInfo(
  TOTAL,
  Object.fromEntries(OUTCOMES.map((outcome, at) => [outcome, 10_000n + BigInt(at) * 9_000n])),
  oracleInfo([testOracle('bench').announce(enumEvent(...OUTCOMES))]),
);

/** What ddk-ts wants of the same contract. */
function forDdk(contract: DlcContract) {
  if (ddk === null) return null;
  return {
    ddk,
    cets: OUTCOMES.map((_, at) => ddkCet(contract, at)),
    oracles: ddkOracles(contract, 0).oracles,
    messages: OUTCOMES.map((_, at) => ddkOracles(contract, at).messages),
    script: Buffer.from(contract.fundingScript),
    amount: contract.fundingAmountSats,
  };
}

async function withWorkers<T>(size: number, work: (adaptors: AdaptorWork) => Promise<T>): Promise<T> {
  const computing = openComputing({ network: 'regtest', randomBytes }, { size });
  try {
    return await work(createAdaptorWork({ computing, randomBytes }));
  } finally {
    await computing.close(0);
  }
}

/** Both halves of a contract in the engine: signed and verified. */
async function inEngine(adaptors: AdaptorWork, { offerer, messages }: ReturnType<typeof fresh>) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const signatures = await adaptors.signAllCets({
    accountId: 'acc_a',
    ...messages,
    privateKey: offerer.fundingPrivateKey,
  });
  const [between, cpuBetween] = [performance.now(), process.cpuUsage()];
  const verdict = await adaptors.verifyAllCets({
    accountId: 'acc_a',
    ...messages,
    publicKey: offerer.party.fundingPublicKey,
    signatures,
  });
  if (!verdict.valid) throw new Error(`signature ${verdict.index} is wrong`);
  const total = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
  return {
    signMs: between - began,
    verifyMs: performance.now() - between,
    signCpuMs: total(cpuBetween) - total(cpu),
    verifyCpuMs: total(process.cpuUsage()) - total(cpuBetween),
    count: signatures.length / 162,
  };
}

async function enumeratedBench(): Promise<void> {
  const rows = new Map<string, number[]>();
  const note = (name: string, ms: number): void => {
    const all = rows.get(name) ?? [];
    rows.set(name, all);
    all.push(ms);
  };
  await withWorkers(2, async (adaptors) => {
    // The first round warms up.
    for (let round = -1; round < ROUNDS; round++) {
      const add = round < 0 ? () => {} : note;
      const terms = fresh(enumerated);
      const all = { from: 0, to: OUTCOMES.length };
      const { fundingPrivateKey: key, party } = terms.offerer;
      const theirs = forDdk(terms.contract());
      if (theirs !== null) {
        const { ddk: native, cets, oracles, messages, script, amount } = theirs;
        const secret = Buffer.from(key);
        const points = native.createCetAdaptorPointsFromOracleInfo(oracles, messages);
        add(
          'ddk-ts: sign, points given',
          timed(() => native.createCetAdaptorSigsFromPoints(cets, points, secret, script, amount)).ms,
        );
        const signed = timed(() =>
          native.createCetAdaptorSigsFromOracleInfo(cets, oracles, secret, script, amount, messages),
        );
        add('ddk-ts: sign', signed.ms);
        add('ddk-ts: sign, by the clock', signed.clockMs);
        const publicKey = Buffer.from(party.fundingPublicKey);
        const verified = timed(() =>
          native.verifyCetAdaptorSigsFromOracleInfo(signed.made, cets, oracles, publicKey, script, amount, messages),
        );
        if (!verified.made) throw new Error('ddk-ts does not verify its own');
        add('ddk-ts: verify', verified.ms);
        add('ddk-ts: verify, by the clock', verified.clockMs);
      }

      // Beside what it is compared to, since the clock tells what else the machine does.
      const { signMs, verifyMs, signCpuMs, verifyCpuMs } = await inEngine(adaptors, terms);
      add('two workers: sign, by the clock', signMs);
      add('two workers: verify, by the clock', verifyMs);
      // Of all threads: on cores that nobody else uses two workers do twice as many by the clock.
      add('two workers: sign', signCpuMs);
      add('two workers: verify', verifyCpuMs);

      const toSign = terms.contract();
      const signed = timed(() => signCets(toSign, key, all, tools));
      add('one thread: sign', signed.ms);
      add('one thread: sign, points given', timed(() => signCets(toSign, key, all, tools)).ms);
      const toVerify = terms.contract();
      const verified = timed(() => verifyCets(toVerify, party.fundingPublicKey, signed.made, all));
      if (verified.made !== null) throw new Error(`signature ${verified.made} is wrong`);
      add('one thread: verify', verified.ms);
      const items = OUTCOMES.map((_, at) => ({
        signature: signatureAt(signed.made, at),
        messageHash: toVerify.cetHashOf(at),
        encryptionPoint: toVerify.encryptionPointOf(at),
      }));
      for (const [name, combine] of [
        ['by recovery', basePlusPoint],
        ['plainly', basePlusPointPlainly],
      ] as const) {
        const { ms, made } = timed(() => firstInvalid(items, party.fundingPublicKey, { combine }));
        if (made !== null) throw new Error(`signature ${made} is wrong`);
        add(`one thread: verify ${name}, points given`, ms);
      }
    }
  });
  const of = (name: string): number => median(rows.get(name) ?? [Number.NaN]);
  console.log(
    `1,000 outcomes, one oracle; ${ecc.implementation} curve; medians of ${ROUNDS} rounds: signatures a second of CPU time unless by the clock; load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
  );
  for (const name of rows.keys()) console.log(`${name.padEnd(46)}${Math.round(1e6 / of(name)).toLocaleString('en')}`);
  const ratio = (ours: string, theirs: string): string => {
    const [mine, other] = [rows.get(ours) ?? [], rows.get(theirs) ?? []];
    return other.length === 0 ? 'n/a' : median(mine.map((ms, at) => (other[at] as number) / ms)).toFixed(2);
  };
  console.log('ratios, median of the rounds:');
  for (const [ours, theirs] of [
    ['one thread: sign', 'ddk-ts: sign'],
    ['one thread: sign, points given', 'ddk-ts: sign, points given'],
    ['one thread: verify', 'ddk-ts: verify'],
    ['two workers: sign', 'ddk-ts: sign'],
    ['two workers: verify', 'ddk-ts: verify'],
    ['two workers: sign, by the clock', 'ddk-ts: sign, by the clock'],
    ['two workers: verify, by the clock', 'ddk-ts: verify, by the clock'],
    ['one thread: verify by recovery, points given', 'one thread: verify plainly, points given'],
  ] as const)
    console.log(`  ${ours} to ${theirs}: ${ratio(ours, theirs)}`);
}

async function numericBench(size: number): Promise<void> {
  const terms = fresh(priceInfo(TOTAL, DIGITS, ROUNDING));
  await withWorkers(size, async (adaptors) => {
    // Workers start and compile on another contract.
    await inEngine(adaptors, fresh(enumerated));
    const memory = { before: process.memoryUsage.rss(), most: 0 };
    const watch = setInterval(() => {
      memory.most = Math.max(memory.most, process.memoryUsage.rss());
    }, 50);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const first = await inEngine(adaptors, terms);
    const second = await inEngine(adaptors, { ...terms, offerer: terms.accepter });
    const ms = performance.now() - began;
    delay.disable();
    clearInterval(watch);
    const each = ((first.signMs + second.signMs) / 2 / first.count) * 1000;
    console.log(
      `${first.count.toLocaleString('en')} CETs, ${size} worker${size === 1 ? '' : 's'}: both sides signed and verified in ${seconds(ms)} ` +
        `(sign ${seconds(first.signMs)} and ${seconds(second.signMs)}, verify ${seconds(first.verifyMs)} and ${seconds(second.verifyMs)}; ` +
        `${Math.round(each)} µs a signature made); event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, ` +
        `most ${(delay.max / 1e6).toFixed(1)} ms; memory ${Math.round(memory.before / 2 ** 20)} MiB before, at most ${Math.round(memory.most / 2 ** 20)} MiB`,
    );
  });
}

await enumeratedBench();
for (const size of [1, 2]) await numericBench(size);
