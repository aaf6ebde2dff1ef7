/** A replay of the rules in force says of each payment what was recorded, whatever became of the others. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { AccountRules } from '../../../src/core/policies/account-rules.ts';
import type { Policy } from '../../../src/core/policies/policy.ts';
import { recordedVerdict } from '../../../src/core/policies/recorded-verdict.ts';
import { createHistoryPass, type Judged, windowStart } from '../../../src/services/policies/replay/history-pass.ts';
import { createReplays } from '../../../src/services/policies/replay/replay-service.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { openPayments, outsider, rate } from '../transactions/payments-setup.ts';
import { ALLOW, APPROVE, DENY, rule, rulesOf } from './rules-of.ts';

const RUNS = 12;
const HOUR = 3_600_000;
const accounts = Array.from({ length: RUNS * 3 }, (_, run) => `acc_${run}` as const);

const action = fc.constantFrom(DENY, APPROVE, ALLOW);
const per = fc.constantFrom('account', 'wallet', 'initiator', 'destination');
const window = fc.oneof(
  fc.record({ hours: fc.integer({ min: 1, max: 6 }), per, amountOverSats: fc.bigInt({ min: 0n, max: 200_000n }) }),
  fc.record({ hours: fc.integer({ min: 1, max: 6 }), per, countOver: fc.integer({ min: 1, max: 4 }) }),
);
const conditions = fc.oneof(
  { weight: 4, arbitrary: fc.record({ window }) },
  fc.record({ amountOverSats: fc.bigInt({ min: 0n, max: 60_000n }) }),
  fc.record({ feeOver: fc.record({ sats: fc.bigInt({ min: 0n, max: 2_000n }) }) }),
  fc.record({ operations: fc.constantFrom(['payment'], ['bump', 'cancel']), window }),
);
const policies = fc
  .array(fc.tuple(conditions, action), { minLength: 2, maxLength: 5 })
  .map((all) => all.map(([when, then], at): Policy => rule(when as Policy['when'], then, `r${at}`)));

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('pay'), sats: fc.integer({ min: 1_000, max: 90_000 }), to: fc.nat(2) }),
  },
  fc.record({
    do: fc.constantFrom('bump', 'cancel', 'lose', 'refuse', 'hand out', 'bulk'),
    sats: fc.constant(30_000),
    to: fc.nat(2),
  }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('share', 'sign'), sats: fc.constant(30_000), to: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait'), sats: fc.integer({ min: 1, max: 4 }), to: fc.constant(0) }),
  },
);

it('the rules in force say again what they said, from the beginning or from the middle on', {
  timeout: 240_000,
}, async () => {
  let rules: AccountRules = rulesOf([]);
  let later = 0;
  let run = 0;
  const clock = () => Date.now() + later;
  const payments = await openPayments({ accounts, rules: () => rules, clock });
  const { store, transactions, wallets } = payments;
  const entriesOf = async () => new Map();
  const deps = {
    store,
    entriesOf,
    clock,
    randomBytes: payments.ground.randomBytes,
    onQueued() {},
    historyMs: 400 * 24 * HOUR,
  };
  const replays = createReplays({ ...deps, rulesOf: async () => rules });
  let [judgedInAll, signed] = [0, 0];
  const differentActions = new Set<string>();

  await fc.assert(
    fc.asyncProperty(policies, fc.array(step, { minLength: 8, maxLength: 24 }), async (list, steps) => {
      const accountId = accounts[run++]!;
      const context = () => payments.context({ accountId });
      rules = rulesOf([]);
      const wallet = await payments.newWallet('segwit', accountId);
      const party = cosigner(`keeps it ${run}`);
      const shared = await wallets.create(
        {
          ...{ name: 'shared', type: 'multisig', backupType: 'none', required: 2 },
          cosigners: [party.multisigKey],
        } as never,
        context(),
      );
      await payments.fund(
        wallet,
        Array.from({ length: 30 }, () => 200_000n),
      );
      await payments.fund(
        shared.wallet,
        Array.from({ length: 8 }, () => 200_000n),
      );
      rules = rulesOf(list);
      const pays = (sats: number, to: number, from = wallet) =>
        payments.pay(from, BigInt(sats), { recipients: [{ address: outsider(`payee ${to}`), amount: BigInt(sats) }] });
      const newest = async (wanted = 'broadcast') => {
        const { data } = await transactions.list({}, { limit: 100, offset: 0 }, context());
        return data.find(({ status }) => status === wanted)?.txid;
      };
      /** Hours after it was made: from then on it counts in that hour. */
      const sign = async () => {
        const txid = await newest('awaiting_signature');
        if (txid === undefined) return;
        const { psbt } = await transactions.get(txid, context());
        signed += Number((await transactions.addSignatures(txid, party.sign(psbt!), context())).status === 'broadcast');
      };
      const play = async ({ do: what, sats, to }: { do: string; sats: number; to: number }): Promise<unknown> => {
        if (what === 'wait') {
          later += sats * HOUR;
          return;
        }
        payments.onBroadcast(() =>
          what === 'refuse'
            ? { result: 'refused', reason: 'bad-txns', final: true }
            : what === 'lose'
              ? 'unreachable'
              : 'pass',
        );
        if (what === 'sign') return sign();
        if (what === 'bulk')
          return transactions.createBulk(
            [1, 2, 3].map((n) => pays(sats * n, to)),
            {},
            context(),
          );
        if (what === 'bump' || what === 'cancel') {
          const txid = await newest();
          if (txid === undefined) return;
          return what === 'bump'
            ? transactions.bump(txid, { feeRate: rate('9') }, context())
            : transactions.cancel(txid, {}, context());
        }
        const made = await transactions.create(
          pays(sats, to, what === 'hand out' || what === 'share' ? shared.wallet : wallet),
          {},
          context(),
        );
        return what === 'lose' || what === 'hand out' ? transactions.abandon(made.txid, context()) : made;
      };
      // What the rules deny, and a bump of what cannot be bumped any more, leave nothing.
      const codes = [
        'policy_denied',
        'policy_refused',
        'state_conflict',
        'invalid_value',
        'insufficient_funds',
        'fee_rate_too_low',
      ];
      for (const one of steps)
        await play(one).catch((error) => {
          if (!codes.includes(error.code)) throw error;
        });

      const all = await judged(accountId, list, 0);
      judgedInAll += all.length;
      for (const { payment, verdict } of all) {
        expect(verdict && recordedVerdict(verdict)).toEqual(payment.policy);
        differentActions.add(payment.policy!.action);
      }
      const middle = all[Math.floor(all.length / 2)];
      if (middle !== undefined)
        expect((await judged(accountId, list, middle.payment.createdAt)).map(said)).toEqual(
          all.filter(({ payment }) => payment.createdAt >= middle.payment.createdAt).map(said),
        );
      const replay = await replays.create(
        { policies: undefined, defaultAction: undefined, fromAt: 0, toAt: clock() + 1 },
        context(),
      );
      expect(replay).toMatchObject({ status: 'done', figures: { payments: all.length, differing: 0, unjudged: 0 } });
    }),
    { numRuns: RUNS },
  );
  expect(judgedInAll).toBeGreaterThan(RUNS * 4);
  expect(signed).toBeGreaterThan(2);
  expect([...differentActions].sort()).toEqual(['allow', 'approve']);

  async function judged(accountId: AccountId, list: readonly Policy[], fromAt: number): Promise<Judged[]> {
    const found: Judged[] = [];
    const { read } = store;
    const from = await read.spendHistory.placeAt(accountId, fromAt);
    const to = (await read.spendHistory.placeAt(accountId, clock() + 1)) - 1;
    const options = { accountId, policies: rulesOf(list).policies, defaultAction: 'allow' as const, from, to };
    const pass = await createHistoryPass(
      { read, entriesOf, clock },
      options,
      await windowStart(read, options, from, fromAt),
    );
    while (pass.place() < to) await pass.advance((one) => found.push(one));
    return found;
  }
});

const said = ({ payment, verdict }: Judged) => [payment.txid, verdict && recordedVerdict(verdict)];
