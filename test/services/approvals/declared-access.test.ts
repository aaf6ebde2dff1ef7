/** Rights are stated where a request waits, and where its operation is declared: the boot fails where they differ. */
import { expect, it } from 'vitest';
import type { Role } from '../../../src/core/access.ts';
import { assertDeclaredAccess } from '../../../src/services/approvals/declared-access.ts';

const rights = (scope: string, role: Role = 'operator') => ({ scope, role });
const backup = { id: 'wallet.backup', access: rights('wallets:write', 'admin'), success: {} };
const payment = {
  ...{ id: 'transaction.create', access: rights('transactions:write'), spends: ['payment'] as const },
  success: { waiting: {} },
};
const payments = {
  operations: { payment: ['transaction.create'] },
  accessOf: () => rights('transactions:write'),
} as never;

it.each([
  ['are the same', [backup, payment], backup.access, null],
  ['have a lesser role', [backup, payment], rights('wallets:write'), 'wallet.backup requires wallets:write as admin'],
  ['have another scope', [backup, payment], rights('wallets:read', 'admin'), 'wallet.backup requires wallets:write'],
  ['are of nothing declared', [payment], backup.access, 'wallet.backup can wait for approval, but is not declared'],
  [
    'differ from those of a payment',
    [backup, { ...payment, access: rights('transactions:write', 'admin') }],
    backup.access,
    'transaction.create requires transactions:write as admin',
  ],
  [
    'differ from those of another operation that pays and can wait',
    [backup, payment, { ...payment, id: 'wallet.sweep', access: rights('wallets:write') }],
    backup.access,
    'wallet.sweep requires wallets:write as operator',
  ],
  [
    'are of an operation that pays and cannot wait',
    [backup, payment, { ...payment, id: 'audit.anchor', access: rights('compliance:write'), success: {} }],
    backup.access,
    null,
  ],
])('rights that %s', (_, all, access, problem) => {
  const check = () => assertDeclaredAccess(all, [{ id: 'wallet.backup', access }], [payments]);
  if (problem === null) check();
  else expect(check).toThrow(problem);
});
