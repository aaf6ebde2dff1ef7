import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/store/queries/rows-of.ts';
import { createSession, type Statement } from '../../src/store/queries/session.ts';
import { usersTable as table } from '../../src/store/repositories/users.ts';

const users = rowsOf(table);

function recorded() {
  const statements: Statement[] = [];
  const session = createSession('postgres', async (statement) => {
    statements.push(statement);
    return { rows: [], changes: 0n };
  });
  return { session, statements };
}

describe('rows of a table', () => {
  it('are refused a condition without a value: it would let in the rows of other accounts', async () => {
    const { session, statements } = recorded();
    const missing = { userId: 'usr_one', accountId: undefined } as unknown as { userId: string };
    for (const query of [
      () => users.find(session, missing),
      () => users.update(session, missing, { name: 'x' }),
      () => users.delete(session, missing),
    ]) {
      await expect(query()).rejects.toThrow('no value for a condition on users');
    }
    const page = async () => users.page(session, { name: 'users', where: missing }, { limit: 10, offset: 0 });
    await expect(page()).rejects.toThrow('no account for a page of users');
    expect(statements).toEqual([]);
  });

  it('are not all changed or deleted at once', async () => {
    const { session, statements } = recorded();
    await expect(users.update(session, {}, { name: 'x' })).rejects.toThrow('needs a condition');
    await expect(users.delete(session, {})).rejects.toThrow('needs a condition');
    expect(statements).toEqual([]);
  });

  it('stay whose they are and which they are, whatever a patch gives', async () => {
    const { session, statements } = recorded();
    const patch = { name: null, userId: 'usr_two', accountId: 'acc_two', createdAt: undefined } as const;
    await users.update(session, { userId: 'usr_one', accountId: 'acc_one', deletedAt: null }, patch);
    expect(statements).toMatchObject([
      {
        sql: 'update "users" set "name" = $1 where "user_id" = $2 and "account_id" = $3 and "deleted_at" is null',
        parameters: [null, 'usr_one', 'acc_one'],
      },
    ]);
  });
});
