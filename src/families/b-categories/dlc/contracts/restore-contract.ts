import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { idField } from '../../../fields.ts';
import { DLC_BODY_LIMIT, ON_CONTRACT } from '../message-fields.ts';
import { backupExample, backupField, backupOf } from './backup-fields.ts';
import { closingExample } from './remote-examples.ts';

export const restoreContract = (contracts: Pick<ContractService, 'restore'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.restore',
    spends: [],
    path: '/api/v1/dlc/contracts/restore',
    summary: 'Take a contract in from its backup',
    description:
      'In an account that has the wallet, restored before: the messages are verified as if they came from a stranger, and the contract ' +
      'goes on here. Let no other service go on with it at the same time.',
    body: z.strictObject({
      backup: backupField,
      wallet_id: idField('wal').optional().meta({ description: 'Whose keys sign. Default: found by fingerprint' }),
    }),
    bodyLimit: DLC_BODY_LIMIT,
    success: { status: 201, answer: contract, description: 'The contract' },
    errors: [
      'policy_denied',
      'not_found',
      'invalid_backup',
      'invalid_message',
      'wrong_network',
      'contract_refused',
      'already_exists',
      'state_conflict',
      'policy_refused',
      'signing_unavailable',
      'unavailable',
      'too_large',
    ],
    example: { body: { backup: backupExample }, response: closingExample },
    run: ({ body }, context) => contracts.restore({ backup: backupOf(body.backup), walletId: body.wallet_id }, context),
  });
