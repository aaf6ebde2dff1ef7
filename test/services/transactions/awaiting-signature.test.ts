/** Payments from wallets whose keys are not all here: others sign a PSBT, and until they have, its coins are kept for it. */
import { describe, expect, it, vi } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { PaymentRequest } from '../../../src/core/payments/payment-plan.ts';
import { partialSignatures, setPartialSignature } from '../../../src/core/psbt/codec/input-fields.ts';
import { OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { outputAmount } from '../../../src/core/psbt/codec/output-fields.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { cosigner, extracted } from '../../builders/cosigner.ts';
import { BTC, openPayments, outsider, type Payments, rate } from './payments-setup.ts';

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(cosigner) as [
  ReturnType<typeof cosigner>,
  ReturnType<typeof cosigner>,
  ReturnType<typeof cosigner>,
];

const make = async (p: Payments, request: Partial<CreateWalletRequest>): Promise<WalletRecord> =>
  (await p.wallets.create({ name: 'shared', type: 'multisig', backupType: 'none', ...request }, p.context())).wallet;
const twoOfThree = (p: Payments) => make(p, { required: 2, cosigners: [alice.multisigKey, bob.multisigKey] });
const withoutOwn = (p: Payments) =>
  make(p, { required: 2, ownKey: false, cosigners: [alice.multisigKey, bob.multisigKey, carol.multisigKey] });
const watching = (p: Payments, descriptor: string) => make(p, { type: 'watch-only', descriptor, birthday: 0 });
const nested = (p: Payments) => watching(p, `sh(wpkh(${alice.key(49, 1, 0)}/<0;1>/*))`);

const create = (p: Payments, wallet: WalletRecord, sats: bigint | 'max', more: Partial<PaymentRequest> = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());
const add = (p: Payments, txid: Txid, psbt: string) => p.transactions.addSignatures(txid, psbt, p.context());
const get = (p: Payments, txid: Txid) => p.transactions.get(txid, p.context());
const coinsOf = async (p: Payments, txid: Txid) => {
  const inputs = await p.store.read.transactions.inputs(p.accountId, txid);
  return p.store.read.coins.findMany(
    p.accountId,
    inputs.map(({ prev }) => prev),
  );
};

async function funded(makeWallet: (p: Payments) => Promise<WalletRecord>, coins: readonly bigint[] = [BTC]) {
  const p = await openPayments();
  const wallet = await makeWallet(p);
  await p.fund(wallet, coins);
  return { p, wallet };
}

describe('a 2-of-3 with a key of the service', () => {
  it('is signed here first, and broadcast with the second signature', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const waiting = await create(p, wallet, BTC / 4n);
    expect(waiting).toMatchObject({ status: 'awaiting_signature', raw: null, direction: 'outgoing' });
    expect(waiting.txid).toBe(waiting.unsignedTxid);
    const psbt = psbtFromText(waiting.psbt!) as PsbtV2;
    expect(psbt.version).toBe(2);
    expect(partialSignatures(psbt.inputs[0]!)).toHaveLength(1);
    expect(await p.mempool()).toEqual([]);
    expect(await p.balance(wallet)).toEqual({
      ...{ confirmedSats: BTC, pendingSats: 0n, immatureSats: 0n, lockedSats: BTC },
    });

    const sent = await add(p, waiting.txid, alice.sign(waiting.psbt!));
    expect(sent).toMatchObject({ status: 'broadcast', txid: waiting.txid, psbt: null, feeSats: waiting.feeSats });
    expect(sent.vsize!).toBeLessThanOrEqual(waiting.vsize!);
    expect(sent.vsize!).toBeGreaterThanOrEqual(waiting.vsize! - 2);
    expect(await p.mempool()).toEqual([waiting.txid]);
    const left = BTC - BTC / 4n - sent.feeSats!;
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: left, lockedSats: 0n });
    await p.mine();
    expect(await get(p, waiting.txid)).toMatchObject({ status: 'confirmed', direction: 'outgoing' });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: left, pendingSats: 0n });
    // Its change, with a path of its own, is spent by the next.
    expect((await create(p, wallet, 'max')).status).toBe('awaiting_signature');
  });

  it('whose key is enough (1-of-2) is broadcast at once, from coins that are change, too', async () => {
    const { p, wallet } = await funded((service) => make(service, { required: 1, cosigners: [alice.multisigKey] }));
    const first = await create(p, wallet, BTC / 4n);
    expect(first).toMatchObject({ status: 'broadcast', psbt: null });
    expect((await create(p, wallet, BTC / 4n)).status).toBe('broadcast');
    expect(await p.mempool()).toHaveLength(2);
  });

  it('keeps its coins from other payments, and nothing is built on what it would pay', async () => {
    const { p, wallet } = await funded(twoOfThree, [BTC, BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const second = await create(p, wallet, BTC / 4n);
    const spent = [...(await coinsOf(p, first.txid)), ...(await coinsOf(p, second.txid))];
    expect(new Set(spent.map((coin) => coin.txid + coin.vout)).size).toBe(2);
    expect(spent.map((coin) => coin.spentBy).sort()).toEqual([first.txid, second.txid].sort());
    await expect(create(p, wallet, BTC / 4n)).rejects.toMatchObject({ code: 'insufficient_funds' });
    const bulk = await p.transactions.createBulk([p.pay(wallet, 10_000n)], {}, p.context());
    expect(bulk).toMatchObject([{ refusal: { code: 'insufficient_funds' } }]);
  });

  it('makes no PSBT in a dry run, nor signs in one', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const dry = await p.transactions.create(p.pay(wallet, BTC / 4n), { dryRun: true }, p.context());
    expect(dry).toMatchObject({ status: 'awaiting_signature', psbt: null, raw: null });
    expect(await p.balance(wallet)).toMatchObject({ lockedSats: 0n });
  });

  it('in bulk: each waits for itself, the change of one is not spent by the next', async () => {
    const { p, wallet } = await funded(twoOfThree, [BTC, BTC]);
    const outcomes = await p.transactions.createBulk(
      [BTC / 2n, BTC / 2n, BTC / 4n].map((sats) => p.pay(wallet, sats)),
      {},
      p.context(),
    );
    expect(outcomes).toMatchObject([
      { transaction: { status: 'awaiting_signature' } },
      { transaction: { status: 'awaiting_signature' } },
      { refusal: { code: 'insufficient_funds' } },
    ]);
  });
});

describe('signatures', () => {
  it('come in any order, as version 0 or 2, and each says how far it is', async () => {
    for (const [first, second] of [
      [bob, carol],
      [carol, alice],
    ] as const) {
      const { p, wallet } = await funded(withoutOwn, [BTC, BTC / 2n]);
      const waiting = await create(p, wallet, (BTC * 5n) / 4n);
      const one = await add(p, waiting.txid, first.signAsVersion0(waiting.psbt!));
      expect(one.status).toBe('awaiting_signature');
      expect((psbtFromText(one.psbt!) as PsbtV2).inputs.map((input) => partialSignatures(input).length)).toEqual([
        1, 1,
      ]);
      expect((await get(p, waiting.txid)).psbt).toBe(one.psbt);
      // The second signs what was given out first: their signatures meet here.
      expect((await add(p, waiting.txid, second.sign(waiting.psbt!))).status).toBe('broadcast');
    }
  });

  it('all at the same moment: none is lost, and the payment is sent once', async () => {
    const { p, wallet } = await funded((service) =>
      make(service, { required: 3, ownKey: false, cosigners: [alice, bob, carol].map((one) => one.multisigKey) }),
    );
    const waiting = await create(p, wallet, BTC / 4n);
    const other = p.restart();
    const answers = await Promise.all(
      [alice, bob, carol].map((one, index) =>
        (index % 2 ? other.transactions : p.transactions).addSignatures(
          waiting.txid,
          one.sign(waiting.psbt!),
          p.context(),
        ),
      ),
    );
    expect(answers.map((one) => one.status).sort()).toEqual(['awaiting_signature', 'awaiting_signature', 'broadcast']);
    expect(await p.mempool()).toEqual([waiting.txid]);
  });

  it('that add nothing are refused, and so are those sent when it is complete', async () => {
    const { p, wallet } = await funded(withoutOwn);
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    await expect(add(p, txid, psbt!)).rejects.toMatchObject({ code: 'nothing_signed' });
    await add(p, txid, alice.sign(psbt!));
    await expect(add(p, txid, alice.sign(psbt!))).rejects.toMatchObject({ code: 'nothing_signed' });
    await add(p, txid, bob.sign(psbt!));
    await expect(add(p, txid, carol.sign(psbt!))).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('it is signed'),
    });
  });

  it('of foreign keys, of other transactions, and broken ones are refused, naming the input', async () => {
    const { p, wallet } = await funded(withoutOwn, [BTC, BTC]);
    const [one, two] = [await create(p, wallet, BTC / 4n), await create(p, wallet, BTC / 4n)];
    await expect(add(p, one.txid, alice.sign(two.psbt!))).rejects.toMatchObject({ code: 'psbt_mismatch' });

    const signed = psbtFromText(alice.sign(one.psbt!)) as PsbtV2;
    const [signature] = partialSignatures(signed.inputs[0]!);
    const withSignature = (given: typeof signature) => {
      const input = (psbtFromText(one.psbt!) as PsbtV2).inputs[0]!.clone();
      setPartialSignature(input, given!);
      return psbtToBase64({ ...signed, inputs: [input] });
    };
    const broken = Uint8Array.from(signature!.signature);
    broken[20]! ^= 1;
    await expect(add(p, one.txid, withSignature({ ...signature!, signature: broken }))).rejects.toMatchObject({
      code: 'psbt_mismatch',
      message: expect.stringMatching(/^input 0.*not valid/),
    });
    const foreign = Buffer.concat([
      Buffer.of(2),
      Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
    ]);
    await expect(add(p, one.txid, withSignature({ ...signature!, publicKey: foreign }))).rejects.toMatchObject({
      code: 'psbt_mismatch',
      message: expect.stringMatching(/^input 0.*not one of its keys/),
    });
    // Nothing of all that has changed the payment.
    expect((await get(p, one.txid)).psbt).toBe(one.psbt);
    expect((await add(p, one.txid, alice.sign(one.psbt!))).status).toBe('awaiting_signature');
  });
});

describe('a txid that signatures change', () => {
  it('is taken over by the record, its coins and its change; the first one resolves for ever', async () => {
    const { p, wallet } = await funded(nested);
    const waiting = await create(p, wallet, BTC / 4n, { label: 'rent' });
    const sent = await add(p, waiting.txid, alice.sign(waiting.psbt!));
    expect(sent).toMatchObject({ status: 'broadcast', unsignedTxid: waiting.txid, label: 'rent' });
    expect(sent.txid).not.toBe(waiting.txid);
    expect(await p.mempool()).toEqual([sent.txid]);
    expect(await get(p, waiting.txid)).toEqual(await get(p, sent.txid));
    expect((await coinsOf(p, sent.txid)).map((coin) => coin.spentBy)).toEqual([sent.txid]);
    await p.mine();
    expect(await get(p, waiting.txid)).toMatchObject({ status: 'confirmed', txid: sent.txid });
    const history = await p.transactions.listOfWallet(wallet.walletId, {}, { limit: 10, offset: 0 }, p.context());
    expect(history.data.map((one) => one.kind)).toEqual(['payment', 'deposit']);
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC - BTC / 4n - sent.feeSats!, pendingSats: 0n });
  });
});

describe('a payment that is signed and sent elsewhere', () => {
  for (const [name, open] of [
    ['segwit', (p: Payments) => watching(p, `wpkh(${alice.key(84, 1, 0)}/<0;1>/*)`)],
    ['nested segwit', nested],
    ['taproot', (p: Payments) => watching(p, `tr(${alice.key(86, 1, 0)}/<0;1>/*)`)],
    ['legacy', (p: Payments) => watching(p, `pkh(${alice.key(44, 1, 0)}/<0;1>/*)`)],
  ] as const) {
    for (const where of ['mempool', 'block'] as const) {
      it(`(${name}, ${where}) is the record's own`, async () => {
        const { p, wallet } = await funded(open);
        const waiting = await create(p, wallet, BTC / 4n, { externalId: 'rent' });
        const { raw, txid } = extracted(alice.signAsVersion0(waiting.psbt!));
        if (where === 'mempool') await p.chain.broadcast(raw);
        else await p.chain.mineTransactions([raw]);
        await p.settle();
        const found = await get(p, waiting.txid);
        expect(found).toMatchObject({
          ...{ txid, unsignedTxid: waiting.txid, externalId: 'rent', psbt: null, feeSats: waiting.feeSats },
          status: where === 'mempool' ? 'broadcast' : 'confirmed',
        });
        const stored = await p.store.read.transactions.find(p.accountId, found.txid);
        expect(Buffer.from(stored!.raw!).equals(raw)).toBe(true);
        const list = await p.transactions.list({}, { limit: 10, offset: 0 }, p.context());
        expect(list.data.map((one) => one.kind)).toEqual(['payment', 'deposit']);
        const left = BTC - BTC / 4n - waiting.feeSats!;
        expect(await p.balance(wallet)).toMatchObject(
          where === 'mempool' ? { pendingSats: left, confirmedSats: 0n } : { pendingSats: 0n, confirmedSats: left },
        );
      });
    }
  }
});

describe('the end of a payment that waits', () => {
  for (const end of ['abandon', 'cancel'] as const) {
    it(`by ${end} frees its coins`, async () => {
      const { p, wallet } = await funded(twoOfThree);
      const { txid, psbt } = await create(p, wallet, BTC / 4n);
      const given = await (end === 'abandon'
        ? p.transactions.abandon(txid, p.context())
        : p.transactions.cancel(txid, {}, p.context()));
      expect(given).toMatchObject({ txid, status: 'abandoned' });
      expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, lockedSats: 0n });
      await expect(add(p, txid, alice.sign(psbt!))).rejects.toMatchObject({ code: 'state_conflict' });
      expect((await create(p, wallet, BTC / 4n)).status).toBe('awaiting_signature');
    });
  }

  it('does not come with a cancel that is a dry run', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const { txid } = await create(p, wallet, BTC / 4n);
    expect(await p.transactions.cancel(txid, { dryRun: true }, p.context())).toMatchObject({
      txid,
      preview: { bounded: false },
    });
    expect((await p.transactions.get(txid, p.context())).status).toBe('awaiting_signature');
    expect((await p.balance(wallet)).lockedSats).toBeGreaterThan(0n);
  });

  it('at the moment of its last signature leaves one of the two: what was given up is not sent', async () => {
    for (const abandonedFirst of [true, false, true, false]) {
      const { p, wallet } = await funded(twoOfThree);
      const { txid, psbt } = await create(p, wallet, BTC / 4n);
      const last = alice.sign(psbt!);
      const acts = [() => p.transactions.abandon(txid, p.context()), () => add(p, txid, last)];
      const given = await Promise.allSettled((abandonedFirst ? acts : acts.reverse()).map((act) => act()));
      const [abandoned, signed] = abandonedFirst ? given : given.reverse();
      const { status } = await get(p, txid);
      const isAbandoned = abandoned!.status === 'fulfilled';
      expect([status, await p.mempool()]).toEqual(isAbandoned ? ['abandoned', []] : ['broadcast', [txid]]);
      if (signed!.status === 'fulfilled') expect(signed!.value).toMatchObject({ status });
      else expect(signed!.reason).toMatchObject({ code: 'state_conflict' });
      expect(await p.balance(wallet)).toMatchObject(
        isAbandoned ? { confirmedSats: BTC, lockedSats: 0n } : { confirmedSats: 0n },
      );
    }
  });

  it('between the check of the last signature and its job is heeded', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    const write = p.store.write.bind(p.store);
    const spied = vi.spyOn(p.store, 'write').mockImplementationOnce(async (job) => {
      await p.transactions.abandon(txid, p.context());
      return write(job);
    });
    await expect(add(p, txid, alice.sign(psbt!))).rejects.toMatchObject({ code: 'state_conflict' });
    spied.mockRestore();
    expect(await p.store.read.transactions.find(p.accountId, txid)).toMatchObject({ status: 'abandoned', raw: null });
    expect(await p.mempool()).toEqual([]);
  });

  it('comes when a block spends its coins otherwise', async () => {
    const { p, wallet } = await funded(withoutOwn);
    const first = await create(p, wallet, BTC / 4n);
    await p.transactions.abandon(first.txid, p.context());
    const second = await create(p, wallet, BTC / 8n);
    const rival = extracted(bob.sign(alice.sign(first.psbt!)));
    await p.chain.mineTransactions([rival.raw]);
    await p.settle();
    expect(await get(p, second.txid)).toMatchObject({ status: 'conflicted', replacedBy: first.txid });
    expect(await get(p, first.txid)).toMatchObject({ status: 'confirmed' });
    expect((await p.balance(wallet)).lockedSats).toBe(0n);
    await expect(add(p, second.txid, alice.sign(second.psbt!))).rejects.toMatchObject({ code: 'state_conflict' });
  });

  it('comes with the end of what it spends', async () => {
    const { p, wallet } = await funded(twoOfThree);
    p.onBroadcast(() => 'unreachable');
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    const parent = await add(p, txid, alice.sign(psbt!));
    const child = await create(p, wallet, BTC / 4n);
    expect([parent.status, child.status]).toEqual(['signed', 'awaiting_signature']);
    await p.transactions.abandon(parent.txid, p.context());
    expect(await get(p, child.txid)).toMatchObject({ status: 'abandoned', reason: expect.stringContaining(txid) });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n, lockedSats: 0n });
  });

  it('comes with a reorganization that takes a mined coin back', async () => {
    const { p, wallet } = await funded(twoOfThree, []);
    const { scriptPubKey } = (await p.store.read.scripts.find(p.accountId, wallet.walletId, false, 0))!;
    await p.chain.mine(1, scriptPubKey);
    await p.mine(100);
    const { txid } = await create(p, wallet, BTC / 4n);
    await p.chain.reorganize(101);
    await p.settle();
    expect(await get(p, txid)).toMatchObject({
      status: 'conflicted',
      reason: expect.stringContaining('left the chain'),
    });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, lockedSats: 0n });
  });

  it('does not come with a restart', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    const { transactions, broadcaster } = p.restart();
    await broadcaster.resend();
    expect(await transactions.get(txid, p.context())).toMatchObject({ status: 'awaiting_signature', psbt });
    expect((await transactions.addSignatures(txid, alice.sign(psbt!), p.context())).status).toBe('broadcast');
  });

  it('with the node away at the last signature it is sent later', async () => {
    const { p, wallet } = await funded(twoOfThree);
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    p.onBroadcast(() => 'unreachable');
    expect((await add(p, txid, alice.sign(psbt!))).status).toBe('signed');
    p.onBroadcast(() => 'pass');
    await p.restart().broadcaster.resend();
    expect(await get(p, txid)).toMatchObject({ status: 'broadcast' });
  });
});

describe('a replacement that waits for signatures', () => {
  async function sent() {
    const { p, wallet } = await funded(twoOfThree, [BTC, BTC]);
    const { txid, psbt } = await create(p, wallet, BTC / 4n);
    const original = await add(p, txid, alice.sign(psbt!));
    expect(original.status).toBe('broadcast');
    return { p, wallet, original };
  }
  const bump = (p: Payments, txid: Txid) => p.transactions.bump(txid, { feeRate: rate('20') }, p.context());

  it('leaves the original where it is until it is signed', async () => {
    const { p, wallet, original } = await sent();
    const waiting = await bump(p, original.txid);
    expect(waiting).toMatchObject({ status: 'awaiting_signature', replaces: original.txid, kind: 'bump' });
    expect((await coinsOf(p, original.txid)).map((coin) => coin.spentBy)).toEqual([original.txid]);
    // The original is kept in the mempool as before, seen again or not.
    await p.settle();
    await p.restart().broadcaster.resend();
    expect((await get(p, original.txid)).status).toBe('broadcast');
    expect((await get(p, waiting.txid)).status).toBe('awaiting_signature');
    await expect(bump(p, original.txid)).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(waiting.txid),
    });
    // Nothing is built on the original's change meanwhile: it would go with it.
    await expect(create(p, wallet, BTC + BTC / 4n)).rejects.toMatchObject({ code: 'insufficient_funds' });

    const replaced = await add(p, waiting.txid, bob.sign(waiting.psbt!));
    expect(replaced).toMatchObject({ status: 'broadcast', replaces: original.txid });
    expect(await get(p, original.txid)).toMatchObject({ status: 'replaced', replacedBy: waiting.txid });
    expect(await p.mempool()).toEqual([waiting.txid]);
    await p.mine();
    expect((await get(p, waiting.txid)).status).toBe('confirmed');
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 2n * BTC - BTC / 4n - replaced.feeSats!,
      pendingSats: 0n,
      lockedSats: 0n,
    });
  });

  it('ends where the original confirms first, and frees what it held', async () => {
    const { p, wallet, original } = await sent();
    const waiting = await bump(p, original.txid);
    await p.mine();
    expect(await get(p, waiting.txid)).toMatchObject({ status: 'conflicted', replacedBy: original.txid });
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 2n * BTC - BTC / 4n - original.feeSats!,
      lockedSats: 0n,
    });
    expect((await create(p, wallet, 'max')).status).toBe('awaiting_signature');
  });

  it('given up leaves the original and its change as they were', async () => {
    const { p, wallet, original } = await sent();
    const before = await p.balance(wallet);
    const waiting = await p.transactions.cancel(original.txid, { feeRate: rate('20') }, p.context());
    expect(waiting).toMatchObject({ status: 'awaiting_signature', kind: 'cancel' });
    await p.transactions.abandon(waiting.txid, p.context());
    expect(await p.balance(wallet)).toEqual(before);
    expect((await get(p, original.txid)).status).toBe('broadcast');
    expect((await bump(p, original.txid)).status).toBe('awaiting_signature');
  });

  it('holds the coins from the last signature on, though no node has it yet', async () => {
    const { p, wallet, original } = await sent();
    const waiting = await bump(p, original.txid);
    p.onBroadcast(() => 'unreachable');
    expect((await add(p, waiting.txid, bob.sign(waiting.psbt!))).status).toBe('signed');
    const outputs = await p.store.read.ledger.coinsOf(original.txid);
    const change = outputs.filter((coin) => coin.walletId === wallet.walletId);
    expect(change).toHaveLength(1);
    const held = [...(await coinsOf(p, original.txid)), ...change];
    expect(held.map((coin) => coin.spentBy)).toEqual(held.map(() => waiting.txid));
  });

  it('is not sent where its coins are held by another payment when the last signature comes', async () => {
    const { p, wallet, original } = await sent();
    const waiting = await bump(p, original.txid);
    const rival = await create(p, wallet, BTC / 4n);
    const [coin] = await coinsOf(p, original.txid);
    await p.store.write((tx) => tx.coins.claim(p.accountId, [coin!], rival.txid, [original.txid]));
    await expect(add(p, waiting.txid, bob.sign(waiting.psbt!))).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('is spent elsewhere'),
    });
    expect(await get(p, waiting.txid)).toMatchObject({ status: 'awaiting_signature', psbt: waiting.psbt });
    expect(await p.mempool()).toEqual([original.txid]);
  });

  it('that others send replaces the original, too', async () => {
    const { p, original } = await sent();
    const waiting = await bump(p, original.txid);
    await p.chain.broadcast(extracted(bob.sign(waiting.psbt!)).raw);
    await p.settle();
    expect((await get(p, waiting.txid)).status).toBe('broadcast');
    expect(await get(p, original.txid)).toMatchObject({ status: 'replaced', replacedBy: waiting.txid });
  });

  it('of the child that pays for its parent waits like any payment', async () => {
    const { p, original } = await sent();
    const child = await p.transactions.cpfp(original.txid, { feeRate: rate('20') }, p.context());
    expect(child).toMatchObject({ status: 'awaiting_signature', kind: 'cpfp' });
    expect((await add(p, child.txid, bob.sign(child.psbt!))).status).toBe('broadcast');
    expect((await p.mempool()).sort()).toEqual([original.txid, child.txid].sort());
  });
});

it('pays "max" to a payee and from named coins', async () => {
  const { p, wallet } = await funded(twoOfThree, [BTC, BTC / 2n]);
  const [coin] = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
  const named = await create(p, wallet, 10_000n, { coinControl: { include: [coin!] } });
  expect((await coinsOf(p, named.txid)).map(({ txid, vout }) => ({ txid, vout }))).toContainEqual({
    txid: coin!.txid,
    vout: coin!.vout,
  });
  const all = await create(p, wallet, 'max', { recipients: [{ address: outsider('all'), amount: 'max' }] });
  expect((await add(p, all.txid, alice.sign(all.psbt!))).status).toBe('broadcast');
});

it('tells signers of change, and never that what another wallet of the account is paid is', async () => {
  const { p, wallet } = await funded(twoOfThree);
  const other = await make(p, { required: 1, cosigners: [alice.multisigKey] });
  const { address } = (await p.store.read.scripts.find(p.accountId, other.walletId, false, 0))!;
  const { psbt } = await create(p, wallet, 0n, { recipients: [{ address, amount: BTC / 4n }] });
  const { outputs } = psbtFromText(psbt!) as PsbtV2;
  const known = outputs.map((output) => [outputAmount(output) === BTC / 4n, output.has(OUTPUT.BIP32_DERIVATION)]);
  expect(known.sort()).toEqual([
    [false, true],
    [true, false],
  ]);
});

it('pays with many coins; those whose PSBT nobody could send back are refused', async () => {
  const { p, wallet } = await funded(twoOfThree, Array(150).fill(BTC / 100n));
  const all = await create(p, wallet, 'max');
  expect(all.psbt!.length).toBeGreaterThan(1024 * 1024);
  expect((await add(p, all.txid, alice.sign(all.psbt!))).status).toBe('broadcast');
  await p.fund(wallet, Array(420).fill(BTC / 100n));
  await p.mine();
  await expect(create(p, wallet, 'max')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('MiB'),
  });
  // Nothing was kept of it.
  expect(await p.balance(wallet)).toMatchObject({ lockedSats: 0n });
  expect((await create(p, wallet, BTC / 1000n)).status).toBe('awaiting_signature');
});
