/** Governance for the tests of every operation. */
import { randomBytes } from 'node:crypto';
import { FIRST_PARAMETERS } from '../../src/core/governance/parameters.ts';
import { newId } from '../../src/core/ids.ts';
import { NO_EXECUTION } from '../../src/store/repositories/proposals.ts';
import type { Json } from './app.ts';
import { sealed } from './audit.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

const GOVERNANCE = '/v1/governance';
/** Of the private key 1. */
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const KEY = `${'0'.repeat(63)}1`;

const movement = (world: OperationWorld) => ({ address: world.callers.siblingId, amount: '2.5', reason: 'A test' });

/** Of tokens that are made for it. */
async function aDelegation(world: OperationWorld): Promise<Json> {
  const { holder_id } = await world.make('GET', `${GOVERNANCE}/tokens/balance`);
  await world.make('POST', `${GOVERNANCE}/tokens/mint`, { ...movement(world), address: holder_id });
  return { delegate_address: world.callers.siblingId, amount: movement(world).amount };
}
/** Wallets become treasuries for good; here the account has none again. */
const noTreasury = ({ service, callers, now }: OperationWorld) =>
  service.app.store.write(async (tx) => {
    const { version } = await tx.enterpriseConfig.lockOrMake(callers.accountId, now());
    await tx.enterpriseConfig.update(callers.accountId, { version: version + 1, treasuries: [] });
  });

async function anAddress(world: OperationWorld): Promise<Json> {
  const { address, message } = await world.make('GET', `${GOVERNANCE}/address-proof?address=${ADDRESS}`);
  const { signature } = world.service.app.services.messages.sign({ address, message, key: KEY, format: null });
  return { address, signature };
}

async function aProposal(world: OperationWorld): Promise<string> {
  const { holder_id } = await world.make('GET', `${GOVERNANCE}/tokens/balance`);
  await world.make('POST', `${GOVERNANCE}/tokens/mint`, { ...movement(world), address: holder_id });
  const { id } = await world.make('POST', `${GOVERNANCE}/proposals`, {
    title: 'A vote',
    description: 'd',
    type: 'text',
  });
  return id;
}

/** A proposal that has passed and can be executed; answers its id. */
export async function aPassedProposal(world: OperationWorld, type: string, parameters: Json): Promise<string> {
  const { holder_id: proposerId } = await world.make('GET', `${GOVERNANCE}/tokens/balance`);
  const { accountId } = world.callers;
  const [proposalId, at] = [newId('prp', randomBytes), Date.now() - 1_000];
  await world.service.app.store.write((tx) =>
    tx.proposals.insert({
      ...{ accountId, proposalId, proposerId, type, parameters, title: 'A test', description: 'Of a test' },
      initiator: { kind: 'api_key', id: proposerId, role: 'admin', countsAs: null },
      settings: { ...FIRST_PARAMETERS, timelock_hours: 0, execution_window_days: 365 },
      ...{ snapshotSeq: 0, totalPower: 1n, status: 'passed', votesFor: 1n, votesAgainst: 0n, voters: 1, ballots: 1 },
      ...{ createdAt: at, expiresAt: at, endedAt: at, cancelledAt: null, cancelReason: null },
      ...{ ...NO_EXECUTION, executionDueAt: 0 },
    }),
  );
  return proposalId;
}

/** With a coin. */
async function aTreasury(world: OperationWorld): Promise<string> {
  await noTreasury(world);
  const wallet = { name: 'treasury', type: 'segwit', backup_type: 'none' };
  const { wallet_id } = await world.make('POST', '/api/v1/wallets', wallet);
  const { address } = await world.make('POST', `/api/v1/wallets/${wallet_id}/addresses`);
  const recipients = [{ address, amount: '0.01' }];
  await world.make('POST', '/api/v1/transactions', {
    recipients,
    fee_rate: '2',
    rbf: true,
    wallet_id: world.ids.wallet_id,
  });
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 1 });
  await world.service.synced();
  await world.make('PUT', `${GOVERNANCE}/dao/treasury`, { wallet_id });
  return wallet_id;
}

export const GOVERNANCE_RECIPES: Readonly<Record<string, Recipe>> = {
  'holder.create': async (world) => ({ body: await anAddress(world) }),
  'dao-treasury.replace': async (world) => {
    await noTreasury(world);
    const wallet = { name: 'treasury', type: 'segwit', backup_type: 'none' };
    const { wallet_id } = await world.make('POST', '/api/v1/wallets', wallet);
    return { body: { wallet_id } };
  },
  'dao.execute': async (world) => {
    const recipients = [{ address: ADDRESS, amount: '0.001' }];
    const parameters = { recipients, fee_rate: '2', wallet_id: await aTreasury(world) };
    return { params: { proposal_id: await aPassedProposal(world, 'treasury_spend', parameters) } };
  },
  'token.mint': async (world) => ({ body: movement(world) }),
  'token.burn': async (world) => {
    await world.make('POST', `${GOVERNANCE}/tokens/mint`, movement(world));
    return { body: movement(world) };
  },
  'token.transfer': async (world) => {
    const { holder_id } = await world.make('GET', `${GOVERNANCE}/tokens/balance`);
    await world.make('POST', `${GOVERNANCE}/tokens/mint`, { ...movement(world), address: holder_id });
    const { address, amount } = movement(world);
    return { body: { address, amount } };
  },
  'delegation.create': async (world) => ({ body: await aDelegation(world) }),
  'delegation.delete': async (world) => {
    const { delegation_id } = await world.make('POST', `${GOVERNANCE}/tokens/delegate`, await aDelegation(world));
    return { params: { delegation_id } };
  },
  'vote.create': async (world) => ({ params: { id: await aProposal(world) }, body: { vote: 'for', voting_power: 1 } }),
  'vote.prove': async (world) => {
    await world.make('POST', `${GOVERNANCE}/holders`, await anAddress(world));
    return { params: { id: await aProposal(world) }, query: { vote: 'for', voting_power: '1' } };
  },
  'proposal.export': async (world) => {
    const id = await aProposal(world);
    await sealed(world.service.app.store);
    return { params: { id } };
  },
  'proposal-vote.list': async (world) => ({ params: { proposal_id: await aProposal(world) } }),
  'token.list': async (world) => ({ query: { address: world.callers.siblingId } }),
};
