import type { AnyOperation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { createAccount } from './create-account.ts';
import { freezeAccount } from './freeze-account.ts';
import { getAccount } from './get-account.ts';
import { listAccount } from './list-account.ts';
import { unfreezeAccount } from './unfreeze-account.ts';

export const accountOperations = ({ accountManagement }: { accountManagement: AccountManagement }): AnyOperation[] => [
  createAccount(accountManagement),
  listAccount(accountManagement),
  getAccount(accountManagement),
  freezeAccount(accountManagement),
  unfreezeAccount(accountManagement),
];
