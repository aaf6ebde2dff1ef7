import { operation } from '../../../hooks/operation.ts';
import type { Treasury } from '../../../services/governance/treasury.ts';
import { idField, namedRequest } from '../../fields.ts';
import { treasury, treasuryExample } from './treasury-answer.ts';

export const replaceDaoTreasury = (treasuries: Treasury) =>
  operation({
    id: 'dao-treasury.replace',
    family: 'g',
    method: 'PUT',
    path: '/v1/governance/dao/treasury',
    summary: 'Make a wallet the treasury',
    description:
      'The first time; later a passed proposal of type `treasury_change` does it. From then on only passed proposals spend the wallet, for good. ' +
      'Its keys are all here and in no other wallet of the account, and no approval and no contract has a claim on it. Takes the scope ' +
      '`wallets:write` and `transactions:write`, too. Where `policy_change` of the enterprise config is set it waits for approval.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'admin' },
    spends: [],
    changesRules: { present: (change: object) => change },
    body: namedRequest('TreasuryRequest', { wallet_id: idField('wal') }),
    success: { status: 200, answer: treasury, description: 'The treasury' },
    errors: ['not_found', 'state_conflict', 'signing_unavailable'],
    example: { body: { wallet_id: treasuryExample.wallet_id }, response: treasuryExample },
    run: ({ body }, context) => treasuries.put(body.wallet_id, context),
  });
