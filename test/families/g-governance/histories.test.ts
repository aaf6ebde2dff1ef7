/** Random histories of a DAO through its services, against a model that counts all at once: what is done, what is refused, and every sum. */
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { FIRST_PARAMETERS, type Parameters } from '../../../src/core/governance/parameters.ts';
import { formatTokens, tokens } from '../../../src/core/governance/tokens.ts';
import type { AccountId, ProposalId } from '../../../src/core/ids.ts';
import { startTestApp } from '../../builders/app.ts';
import {
  type ModelBallot,
  type ModelDelegation,
  type ModelSnapshot,
  modelPower,
  modelTally,
  ONE,
  type Side,
  sum,
} from '../../builders/governance-model.ts';
import { requestContext } from '../../builders/request-context.ts';
import { apiKeyRecord } from '../../builders/store-records.ts';

const HOLDERS = 4;
const HISTORIES = 50;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAYEE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const page = { limit: 100, offset: 0 };

const holder = fc.nat(HOLDERS - 1);
const units = fc.oneof(
  fc.bigInt({ min: 1n, max: 8n * ONE }),
  fc.bigInt({ min: 1n, max: 8n }).map((whole) => whole * ONE),
);
const mint = fc.record({ does: fc.constant('mint' as const), holder, units });
const delegate = fc.record({ does: fc.constant('delegate' as const), holder, to: holder, units });
/** What a proposal asks for; more than the treasury has cannot be paid. */
const about = fc.oneof(
  fc.constant({ type: 'text' as const }),
  fc.record({ type: fc.constant('token_mint' as const), to: holder, units }),
  fc.record({ type: fc.constant('treasury_spend' as const), amount: fc.constantFrom('0.25', '1', '51') }),
  fc.record({
    type: fc.constant('parameter_change' as const),
    changes: fc.constantFrom<Partial<Parameters>>(
      ...[{ timelock_hours: 0 }, { execution_window_days: 1 }, { voting_period_hours: 24 }, { quorum_percent: 60 }],
      ...[{ threshold_percent: 70, quorum_percent: 0 }, { proposal_threshold: '3.00000000' }, { admin_mint: false }],
    ),
  }),
);
const propose = fc.record({ does: fc.constant('propose' as const), holder, about });
const execute = fc.record({ does: fc.constant('execute' as const), which: fc.nat(2) });
const wait = fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1_000, DAY, DAY, 12 * DAY) });
const vote = fc.record({
  ...{ does: fc.constant('vote' as const), holder, which: fc.nat(1), against: fc.boolean() },
  share: fc.bigInt({ min: 0n, max: 5n }),
});
/** So that proposals pass. */
const rally = fc.record({
  ...{
    does: fc.constant('vote' as const),
    holder,
    which: fc.nat(1),
    against: fc.constant(false),
    share: fc.constant(4n),
  },
});
const anything = fc.oneof(
  ...[mint, propose, fc.record({ does: fc.constant('burn' as const), holder, units })],
  fc.record({ does: fc.constant('transfer' as const), holder, to: holder, units }),
  { weight: 3, arbitrary: delegate },
  fc.record({ does: fc.constant('end' as const), which: fc.nat() }),
  { weight: 10, arbitrary: vote },
  wait,
);
const voted = { does: 'wait', ms: 3 * DAY } as const;
/** Proposals are made when there is something to vote with, and voted on before they are executed. */
const steps = fc
  .tuple(
    fc.array(mint, { minLength: 4, maxLength: 8 }),
    fc.array(delegate, { minLength: 4, maxLength: 12 }),
    fc.array(propose, { minLength: 1, maxLength: 2 }),
    fc.array(anything, { minLength: 10, maxLength: 40 }),
    fc.array(propose, { minLength: 1, maxLength: 2 }),
    fc.array(rally, { minLength: 8, maxLength: 16 }),
    fc.constant([voted]),
    fc.array(fc.oneof({ weight: 4, arbitrary: execute }, { weight: 2, arbitrary: wait }, anything), {
      ...{ minLength: 10, maxLength: 30 },
    }),
  )
  .map((parts) => parts.flat());

interface ModelProposal extends ModelSnapshot {
  readonly id: ProposalId;
  readonly expiresAt: number;
  readonly ballots: ModelBallot[];
  readonly about: typeof about extends fc.Arbitrary<infer T> ? T : never;
  readonly settings: Parameters;
  execution: 'none' | 'failed' | 'executed';
}
type Standing = ModelDelegation & { readonly id: `dlg_${string}` };

const powerIn = (snapshot: ModelSnapshot): bigint =>
  sum(snapshot.balances.map((_, at) => modelPower(snapshot, at)).map(({ own, out }) => own + out));

it('are counted as all at once, whatever holders do one after another', { timeout: 240_000 }, async () => {
  let now = 1_700_000_000_000;
  const app = await startTestApp({ clock: () => now });
  onTestFinished(() => app.close());
  const { governance } = app.app.services;
  let [runs, accounts] = [0, 0];

  /** With a treasury. */
  async function newAccount(name: string) {
    const { accountId, apiKey } = await app.anotherAccount(name);
    const wallet = { name, type: 'segwit', backup_type: 'none' };
    const { wallet_id: walletId } = (await app.post('/api/v1/wallets', wallet, { apiKey })).body;
    const { address } = (await app.post(`/api/v1/wallets/${walletId}/addresses`, {}, { apiKey })).body;
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
    const appointed = await app.call('PUT', '/v1/governance/dao/treasury', { wallet_id: walletId }, { apiKey });
    expect(appointed.status, appointed.text).toBe(200);
    // This one's million would hide what is not counted of the others.
    const { holder_id } = (await app.get('/v1/governance/tokens/balance', { apiKey })).body;
    const million = { address: holder_id, amount: '1000000', reason: 'r' };
    expect((await app.post('/v1/governance/tokens/burn', million, { apiKey })).status).toBe(201);
    return { accountId, walletId };
  }
  async function funded(count: number) {
    const made = [];
    for (let at = 0; at < count; at++) made.push(await newAccount(`dao ${accounts++}`));
    await app.post('/api/v1/bitcoin/blocks', { count: 100, address: PAYEE });
    await app.synced();
    return made;
  }
  const ready = await funded(HISTORIES);

  async function newDao(accountId: AccountId) {
    const idOf = (at: number) => `key_${runs.toString(36).padStart(12, '0')}${at.toString().padStart(10, '0')}`;
    await app.app.store.write(async (tx) => {
      for (let at = 0; at < HOLDERS; at++) {
        const key = { accountId, keyId: idOf(at), prefix: `${runs.toString(36).padStart(6, '0')}0${at}` };
        await tx.apiKeys.insert(apiKeyRecord({ ...key, role: 'admin', createdAt: at }));
      }
    });
    const asking = (at: number) => requestContext({ accountId, credential: { id: idOf(at) } });
    await governance.tokens.mint({ address: idOf(0), amount: tokens(10n * ONE), reason: 'r' }, asking(0));
    return { idOf, asking };
  }

  const property = fc.asyncProperty(steps, async (history) => {
    // There are none left where a failure is narrowed down.
    const { accountId, walletId } = ready[runs++] ?? (await funded(1))[0]!;
    const { idOf, asking } = await newDao(accountId);
    const balances = [10n * ONE, ...Array<bigint>(HOLDERS - 1).fill(0n)];
    let delegations: Standing[] = [];
    const proposals: ModelProposal[] = [];
    let settings = FIRST_PARAMETERS;
    const active = () => proposals.filter(({ expiresAt }) => now < expiresAt);

    /** Of the holder's own, on one proposal. */
    const ownCast = ({ ballots, ...snapshot }: ModelProposal, at: number): bigint => {
      const { power = 0n } = ballots.findLast((ballot) => ballot.holder === at) ?? {};
      const { own, out } = modelPower(snapshot, at);
      return power < own + out ? power : own + out;
    };
    const lockedOf = (at: number): bigint => {
      const delegated = sum(delegations.filter(({ from }) => from === at).map((one) => one.units));
      const cast = active().map((proposal) => ownCast(proposal, at) * ONE);
      const most = cast.reduce((one, other) => (one > other ? one : other), 0n);
      const rest = balances[at]! - delegated;
      return delegated + (rest < most ? rest : most);
    };
    const free = (at: number): bigint => balances[at]! - lockedOf(at);
    const statusOf = ({ expiresAt, settings: { quorum_percent, threshold_percent }, ...proposal }: ModelProposal) => {
      if (now < expiresAt) return 'active';
      const sums = modelTally(proposal, proposal.ballots);
      const [total, cast] = [powerIn(proposal), sums.for + sums.against];
      const enough = total > 0n && cast * 100n >= total * BigInt(quorum_percent);
      return enough && sums.for * 100n > cast * BigInt(threshold_percent) ? 'passed' : 'rejected';
    };
    const executionOf = (proposal: ModelProposal): string | undefined => {
      if (statusOf(proposal) !== 'passed') return undefined;
      if (proposal.execution === 'executed') return 'executed';
      const from = proposal.expiresAt + proposal.settings.timelock_hours * HOUR;
      if (now < from) return 'waiting_timelock';
      if (now >= from + proposal.settings.execution_window_days * DAY) return 'expired';
      return proposal.execution === 'failed' ? 'failed' : 'ready';
    };
    const parametersOf = (of: ModelProposal['about']): Record<string, unknown> => {
      if (of.type === 'token_mint') return { address: idOf(of.to), amount: formatTokens(tokens(of.units)) };
      if (of.type === 'treasury_spend') return { recipients: [{ address: PAYEE, amount: of.amount }], fee_rate: '2' };
      return of.type === 'parameter_change' ? of.changes : {};
    };
    /** Whether it was done: where the model says it can be, it must be. */
    async function done<T>(can: boolean, doing: () => Promise<T>): Promise<T | null> {
      try {
        const made = await doing();
        expect(can).toBe(true);
        return made;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        expect([can, error.message]).toEqual([false, expect.any(String)]);
        return null;
      }
    }

    for (const step of history) {
      if (step.does === 'wait') {
        now += step.ms;
        // Ends what is over, as the worker would within a second: tokens are unlocked.
        await governance.status(asking(0));
      }
      if (step.does === 'mint' || step.does === 'burn') {
        const { holder: at, does } = step;
        const given = { address: idOf(at), amount: tokens(step.units), reason: 'r' };
        const can = does === 'mint' ? settings.admin_mint : step.units <= free(at);
        const made = await done(can, () => governance.tokens[does](given, asking(0)));
        if (made !== null) balances[at]! += does === 'mint' ? step.units : -step.units;
      }
      if (step.does === 'transfer' || step.does === 'delegate') {
        const { holder: from, to, units } = step;
        const can = from !== to && units <= free(from);
        const amount = tokens(units);
        if (step.does === 'transfer') {
          if (await done(can, () => governance.tokens.transfer({ address: idOf(to), amount }, asking(from)))) {
            balances[from]! -= units;
            balances[to]! += units;
          }
        } else {
          const given = { delegateAddress: idOf(to), amount };
          const made = await done(can, () => governance.delegations.give(given, asking(from)));
          if (made !== null) delegations.push({ from, to, units, id: made.delegationId });
        }
      }
      const ended = step.does === 'end' ? delegations[step.which % delegations.length] : undefined;
      if (ended !== undefined) {
        await governance.delegations.end(ended.id, asking(ended.from));
        delegations = delegations.filter(({ id }) => id !== ended.id);
      }
      if (step.does === 'propose') {
        const asked = { title: 't', description: 'd', type: step.about.type, parameters: parametersOf(step.about) };
        const can =
          formatTokens(tokens(balances[step.holder]!)).padStart(30) >= settings.proposal_threshold.padStart(30);
        const made = await done(can, () => governance.proposals.create(asked, asking(step.holder)));
        if (made !== null) {
          const snapshot = { balances: [...balances], delegations: [...delegations] };
          expect(made.totalPower).toBe(powerIn(snapshot));
          const expiresAt = now + settings.voting_period_hours * HOUR;
          const fixed = { id: made.proposalId, expiresAt, settings, about: step.about, ...snapshot };
          proposals.push({ ...fixed, ballots: [], execution: 'none' });
        }
      }
      const proposal = step.does === 'vote' ? proposals.at(-1 - step.which) : undefined;
      if (step.does === 'vote' && proposal !== undefined) {
        const { own, out, in: received } = modelPower(proposal, step.holder);
        const most = own + out + received;
        const vote: Side = step.against ? 'against' : 'for';
        const power = step.share === 5n ? most + 1n : (most * step.share) / 4n;
        const can = power <= most && now < proposal.expiresAt;
        const given = { proposalId: proposal.id, vote, power, sent: () => '{}' };
        if (await done(can, () => governance.votes.cast(given, asking(step.holder))))
          proposal.ballots.push({ holder: step.holder, vote, power });
      }
      const passed = step.does === 'execute' ? proposals.at(-1 - step.which) : undefined;
      if (passed !== undefined) {
        const status = executionOf(passed);
        const { about } = passed;
        const can = (status === 'ready' || status === 'failed') && !('amount' in about && about.amount === '51');
        // Twice at once.
        const tried = await Promise.allSettled(
          [0, 1].map((at) => governance.executions.execute(passed.id, asking(at))),
        );
        expect([about.type, status, tried.filter((one) => one.status === 'fulfilled').length]).toEqual([
          ...[about.type, status, can ? 1 : 0],
        ]);
        for (const one of tried) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(DomainError);
        if (can) passed.execution = 'executed';
        else if (status === 'ready') passed.execution = 'failed';
        if (can && about.type === 'token_mint') balances[about.to]! += about.units;
        if (can && about.type === 'parameter_change') settings = { ...settings, ...about.changes };
      }
    }

    const { data: held } = await governance.holders.list(page, asking(0));
    for (const [at, balance] of balances.entries()) {
      const found = held.find(({ holderId }) => holderId === idOf(at));
      expect([found?.balance ?? 0n, found?.locked ?? 0n]).toEqual([balance, lockedOf(at)]);
    }
    const standing = { balances, delegations };
    const { supply, totalPower, parameters } = await governance.daos.of(accountId);
    expect([supply, totalPower, parameters]).toEqual([sum(balances), powerIn(standing), settings]);
    for (const proposal of proposals) {
      const { id, ballots, ...snapshot } = proposal;
      const found = await governance.proposals.get(id, asking(0));
      const sums = modelTally(snapshot, ballots);
      const last = new Map(ballots.map((ballot) => [ballot.holder, ballot.power]));
      const voters = [...last.values()].filter((cast) => cast > 0n).length;
      expect([found.votesFor, found.votesAgainst, found.voters]).toEqual([sums.for, sums.against, voters]);
      expect(sums.for + sums.against <= found.totalPower).toBe(true);
      expect([found.status, found.execution?.status]).toEqual([statusOf(proposal), executionOf(proposal)]);
      const { data: shown } = await governance.votes.on(id, page, asking(0));
      expect(new Map(shown.map((vote) => [vote.holderId, vote.power]))).toEqual(
        new Map([...last].map(([at, cast]) => [idOf(at), cast])),
      );
      expect(shown.map(({ own, takenBack, received }) => own + takenBack + received)).toEqual(
        shown.map((vote) => vote.power),
      );
    }
    // Each that was executed is paid, once, and nothing else is.
    const paying = proposals.filter(
      ({ about: { type }, execution }) => type === 'treasury_spend' && execution === 'executed',
    );
    const { data: paid } = await app.app.store.read.transactions.list(accountId, { walletId }, page);
    const labels = paid.filter(({ label }) => label !== null).map(({ label }) => label);
    expect(labels.toSorted()).toEqual(paying.map(({ id }) => `proposal ${id}`).toSorted());
  });
  await fc.assert(property, { numRuns: HISTORIES });
});
