/** Adaptor signatures of a whole contract, with real worker threads. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { openComputing } from '../../../../src/app/open-computing.ts';
import type { CaseRange } from '../../../../src/core/dlc/contract/dlc-contract.ts';
import { sharedPoint as sharedParts } from '../../../../src/core/dlc/contract/shared-point.ts';
import { signCets, verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import type { ContractInfo } from '../../../../src/core/dlc/contract-info.ts';
import type { DlcJobs, PointsParams } from '../../../../src/core/dlc/jobs/dlc-jobs.ts';
import { serializeAccept } from '../../../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../../../src/core/dlc/messages/offer.ts';
import type { ClosableComputing } from '../../../../src/engines/computing/all-jobs.ts';
import { computeHere } from '../../../../src/engines/computing/compute-here.ts';
import type { LongComputing } from '../../../../src/engines/computing/computing.ts';
import type { WorkerPoolOptions } from '../../../../src/engines/computing/worker-pool.ts';
import { createAdaptorWork } from '../../../../src/services/contracts/signing/adaptor-work.ts';
import { coinTossInfo, priceInfo, testContract } from '../../../builders/dlc-messages.ts';
import { unsignedPsbt } from '../../../builders/unsigned-psbt.ts';
import { A } from '../../../core/psbt/spend-cases.ts';

const tools = { network: 'regtest', randomBytes } as const;
const opened: ClosableComputing[] = [];
afterEach(() => Promise.all(opened.splice(0).map((computing) => computing.close(0))));

function workers(pool: Partial<WorkerPoolOptions> = { size: 2 }) {
  const computing = openComputing(tools, pool);
  opened.push(computing);
  return { computing, ...createAdaptorWork({ computing, randomBytes }) };
}

function known(info: ContractInfo) {
  const { contract, offer, accept, offerer } = testContract({ info });
  const messages = {
    offer: serializeOffer(offer, 'tagged'),
    accept: serializeAccept(accept, 'tagged'),
    accountId: 'acc_a',
    dialect: 'tagged',
  } as const;
  return { contract, messages, privateKey: offerer.fundingPrivateKey, publicKey: offer.party.fundingPublicKey };
}

/** Some hundreds of signatures: several parts. */
const price = known(priceInfo(1_000_000n, 8));
const { contract, messages, privateKey, publicKey } = price;
const all = { from: 0, to: contract.caseCount };
const good = signCets(contract, privateKey, all, { randomBytes });
const withBad = (...indexes: number[]): Uint8Array => {
  const signatures = Uint8Array.from(good);
  for (const index of indexes) signatures[index * 162 + 100]! ^= 1;
  return signatures;
};

describe('all signatures of a contract', () => {
  it('are made in order, with progress that grows to the end', async () => {
    const told: [number, number][] = [];
    const before = Uint8Array.from(privateKey);
    const signatures = await workers().signAllCets({
      ...messages,
      privateKey,
      onProgress: (done, total) => told.push([done, total]),
    });
    expect(verifyCets(contract, publicKey, signatures, all)).toBeNull();
    expect(told.length).toBeGreaterThan(2);
    expect(told.at(-1)).toEqual([contract.caseCount, contract.caseCount]);
    for (const [at, [done, total]] of told.entries()) {
      expect(done).toBeGreaterThan(told[at - 1]?.[0] ?? 0);
      expect(total).toBe(contract.caseCount);
    }
    expect(privateKey).toEqual(before);
  });

  it('are verified, and of wrong ones the first is named', async () => {
    const { verifyAllCets } = workers();
    const verdict = (signatures: Uint8Array) => verifyAllCets({ ...messages, publicKey, signatures });
    expect(await verdict(good)).toEqual({ valid: true });
    const last = contract.caseCount - 1;
    for (const wrong of [[0], [last], [77], [last, 130, 20], [60, 20, 61]])
      expect(await verdict(withBad(...wrong))).toEqual({ valid: false, index: Math.min(...wrong) });
    for (const size of [0, good.length - 162, good.length - 1])
      await expect(verdict(good.subarray(0, size))).rejects.toMatchObject({ code: 'contract_refused' });
    await expect(verdict(Uint8Array.of(...good, ...good.subarray(0, 162)))).rejects.toMatchObject({
      code: 'contract_refused',
      message: expect.stringMatching(/adaptor_signature_count/),
    });
    // The other side's key.
    expect(
      await verifyAllCets({ ...messages, publicKey: contract.acceptParty.fundingPublicKey, signatures: good }),
    ).toEqual({ valid: false, index: 0 });
  });

  it.each([
    ['a few', coinTossInfo(1_000_000n)],
    ['hundreds', priceInfo(1_000_000n, 8)],
  ])('are neither made nor believed where one attestation opens two CETs that pay differently, be they %s', async (_, one) => {
    const [first] = one.cases;
    const other = priceInfo(500_000n, 8).cases[0]!.descriptor;
    const halved =
      first!.descriptor.kind === 'numeric'
        ? other
        : {
            ...first!.descriptor,
            payouts: first!.descriptor.payouts.map((paid) => ({ ...paid, offerPayoutSats: 9n })),
          };
    const info = { ...one, disjoint: true, cases: [first!, { ...first!, descriptor: halved }] };
    const { messages: shared, privateKey: key } = known(info);
    const { signAllCets, verifyAllCets, sharedPoint } = workers();
    const refused = { code: 'contract_refused', message: expect.stringMatching(/^encryption_points:/) };
    expect(await sharedPoint({ accountId: 'acc_a', info, dialect: 'tagged' })).not.toBeNull();
    await expect(signAllCets({ ...shared, privateKey: key })).rejects.toMatchObject(refused);
    await expect(verifyAllCets({ ...shared, publicKey, signatures: good })).rejects.toMatchObject(refused);
    expect(await sharedPoint({ accountId: 'acc_a', info: one, dialect: 'tagged' })).toBeNull();
  });

  it('are compared by the points of all of them, made in parts, once for a contract', async () => {
    const here = computeHere(tools);
    const ranges: CaseRange[] = [];
    const computing: LongComputing<DlcJobs> = {
      parallel: 2,
      runPart(name, given, whose) {
        if (name === 'dlc.points') ranges.push((given as PointsParams).range);
        return here.runPart(name, given, whose);
      },
    };
    const { sharedPoint, signAllCets, verifyAllCets } = createAdaptorWork({ computing, randomBytes });
    const [first] = priceInfo(1_000_000n, 8).cases;
    const [second] = priceInfo(500_000n, 8).cases;
    const twice = { ...priceInfo(1_000_000n, 8), disjoint: true, cases: [first!, second!] };
    const { caseCount } = known(twice).contract;
    const two = await sharedPoint({ accountId: 'acc_a', info: twice, dialect: 'tagged' });
    expect(two).toEqual(sharedParts(known(twice).contract.parts));
    ranges.sort((one, other) => one.from - other.from);
    expect(ranges.length).toBeGreaterThan(3);
    expect(ranges.map(({ from }) => from)).toEqual([0, ...ranges.slice(0, -1).map(({ to }) => to)]);
    expect(ranges.at(-1)!.to).toBe(caseCount);

    ranges.length = 0;
    expect(await verifyAllCets({ ...messages, publicKey, signatures: good })).toEqual({ valid: true });
    const asked = ranges.length;
    expect(asked).toBeGreaterThan(1);
    await signAllCets({ ...messages, privateKey });
    expect(ranges.length).toBe(asked);
  });

  it('are refused where no contract comes of the messages', async () => {
    const wrong = { ...messages, accept: messages.offer, privateKey };
    await expect(workers().signAllCets(wrong)).rejects.toMatchObject({ code: 'invalid_message' });
  });
});

describe('work that is given up', () => {
  it('midway ends with the reason, tells no more, and gives its place back', async () => {
    const { signAllCets, computing } = workers({ size: 1 });
    for (let time = 0; time < 5; time++) {
      const given = new AbortController();
      let told = 0;
      const signing = signAllCets({
        ...messages,
        privateKey,
        signal: given.signal,
        onProgress: () => {
          told++;
          given.abort(new Error('not wanted any more'));
        },
      });
      await expect(signing).rejects.toThrow('not wanted any more');
      expect(told).toBe(1);
    }
    const signatures = await signAllCets({ ...messages, privateKey });
    expect(verifyCets(contract, publicKey, signatures, all)).toBeNull();
    // And the worker does other jobs.
    expect(
      await computing.run('psbt.unproved', { psbt: unsignedPsbt(A.point, 300) }, { accountId: 'acc_a' }),
    ).toHaveLength(300);
  });

  it('before it has begun, or while it waits for others, does not begin', async () => {
    const { signAllCets } = workers({ size: 1 });
    await expect(
      signAllCets({ ...messages, privateKey, signal: AbortSignal.abort(new Error('never')) }),
    ).rejects.toThrow('never');
    const given = new AbortController();
    const begun = Array.from({ length: 3 }, () => signAllCets({ ...messages, privateKey }));
    const waits = signAllCets({ ...messages, privateKey, signal: given.signal });
    given.abort(new Error('waited too long'));
    await expect(waits).rejects.toThrow('waited too long');
    for (const signatures of await Promise.all(begun)) {
      expect(verifyCets(contract, publicKey, signatures, all)).toBeNull();
    }
  });

  it('by the closing of the service is refused', async () => {
    const { signAllCets, computing } = workers({ size: 1 });
    const signing = signAllCets({ ...messages, privateKey, onProgress: () => void computing.close(0) });
    await expect(signing).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a worker that dies', () => {
  const mortal = (...deadly: number[]): Partial<WorkerPoolOptions> => ({
    size: 2,
    entry: new URL('../../../engines/computing/mortal-worker.ts', import.meta.url),
    workerData: { served: new Int32Array(new SharedArrayBuffer(4)), deadly },
  });

  it('costs its part another try', async () => {
    const signatures = await workers(mortal(0, 2, 4)).signAllCets({ ...messages, privateKey });
    expect(verifyCets(contract, publicKey, signatures, all)).toBeNull();
    const { verifyAllCets } = workers(mortal(1, 3));
    expect(await verifyAllCets({ ...messages, publicKey, signatures: withBad(90) })).toEqual({
      valid: false,
      index: 90,
    });
  });

  it('every time is an error, and no endless one', async () => {
    const always = Array.from({ length: 100 }, (_, at) => at);
    await expect(workers(mortal(...always)).signAllCets({ ...messages, privateKey })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('the private key', () => {
  /** Whether each part got a key of its own, and what is left of it. */
  async function copiesLeft(outcome: 'made' | 'refused'): Promise<Uint8Array[]> {
    const copies: Uint8Array[] = [];
    const here = computeHere(tools);
    const computing: LongComputing<DlcJobs> = {
      parallel: 1,
      async runPart(name, given, options) {
        for (const copy of options?.transfer ?? []) copies.push(copy);
        if (name === 'dlc.sign' && outcome === 'refused') throw new Error('refused before it was handed over');
        return here.runPart(name, given, options);
      },
    };
    const signing = createAdaptorWork({ computing, randomBytes }).signAllCets({ ...messages, privateKey });
    if (outcome === 'made') await signing;
    else await expect(signing).rejects.toThrow('refused');
    return copies;
  }

  it('goes to each part as a copy that is handed over, and nothing is left of any', async () => {
    for (const outcome of ['made', 'refused'] as const) {
      const copies = await copiesLeft(outcome);
      expect(copies.length).toBeGreaterThan(0);
      for (const copy of copies) expect([...copy].every((byte) => byte === 0)).toBe(true);
      expect(new Set(copies).size).toBe(copies.length);
    }
  });
});

describe('a small contract', () => {
  it('is worked on at once, without a worker', async () => {
    const toss = known(coinTossInfo(1_000_000n));
    const { computing, signAllCets, verifyAllCets } = workers({ size: 1 });
    await computing.close(0);
    const signatures = await signAllCets({ ...toss.messages, privateKey: toss.privateKey });
    expect(signatures).toHaveLength(3 * 162);
    const { publicKey: key } = toss;
    expect(await verifyAllCets({ ...toss.messages, publicKey: key, signatures })).toEqual({ valid: true });
    signatures[162 + 150]! ^= 1;
    expect(await verifyAllCets({ ...toss.messages, publicKey: key, signatures })).toEqual({ valid: false, index: 1 });
    await expect(signAllCets({ ...messages, privateKey })).rejects.toMatchObject({ code: 'unavailable' });
  });
});
