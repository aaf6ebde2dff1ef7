/**
 * Every operation against every kind of caller. What is expected follows from the declaration alone, so an operation that is added is
 * covered as it stands; where its example does not do as a request, it needs a recipe (test/builders/operation-recipes.ts).
 */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type AnyOperation, type CredentialForm, FAMILY_CREDENTIALS } from '../../src/hooks/operation.ts';
import type { TestAnswer } from '../builders/app.ts';
import { databaseState } from '../builders/database-state.ts';
import { createAnswerCheck } from '../builders/described-answers.ts';
import type { CallersOfForm } from '../builders/operation-callers.ts';
import {
  type BuiltRequest,
  modifies,
  mustSign,
  NOBODY,
  type Sending,
  type TestCaller,
} from '../builders/operation-calls.ts';
import { ELSEWHERE_DONE } from '../builders/operation-recipes.ts';
import { openOperationWorld } from '../builders/operation-world.ts';
import { refusalIn } from '../builders/refusal-in.ts';
import { RIGHTS_OPERATIONS, RIGHTS_TABLES } from '../builders/rights-operations.ts';

const world = await openOperationWorld();
const database = databaseState(world.service.dataDir);
afterAll(async () => {
  database.close();
  await world.close();
});
const { operations, callers } = world;
const check = createAnswerCheck((await world.service.get('/openapi.json', { apiKey: null })).body);
const FORMS = Object.entries(callers.byForm) as [CredentialForm, CallersOfForm][];

interface Expected {
  readonly status: number;
  /** `details.code`, where it is refused. */
  readonly slug?: string;
  /** Of the sentence that says why. */
  readonly says?: RegExp;
}
const UNAUTHORIZED: Expected = { status: 401, slug: 'unauthorized' };
const FORBIDDEN: Expected = { status: 403, slug: 'forbidden' };
const NOT_FOUND: Expected = { status: 404, slug: 'not_found' };

/** One row of the table: who asks, and what the declaration makes of it; null where the question does not arise. */
interface Row {
  readonly name: string;
  expected(operation: AnyOperation): Expected | null;
  callers(operation: AnyOperation): readonly TestCaller[];
  readonly sending?: Sending;
  /** While it is asked. */
  around?(ask: () => Promise<void>): Promise<void>;
}

const guarded = ({ access }: AnyOperation) => access !== 'public';
const roleOf = ({ access }: AnyOperation) => (access === 'public' ? null : access.role);
const formsOf = ({ credentials, family }: AnyOperation) => credentials ?? FAMILY_CREDENTIALS[family];
type Pick = (those: CallersOfForm) => TestCaller;
/** One of each form that the operation takes: of those that are presented. */
const bearing =
  (pick: Pick) =>
  (operation: AnyOperation): TestCaller[] =>
    FORMS.filter(([form]) => formsOf(operation).includes(form)).map(([, those]) => pick(those));
/** An API key and a person whose signature says alone who it is, where the operation takes that. */
const signing =
  (pick: Pick, signers: readonly ('api_key' | 'user_token')[] = ['api_key', 'user_token']) =>
  (operation: AnyOperation): TestCaller[] =>
    formsOf(operation).includes('signature')
      ? signers.map((form) => ({ ...pick(callers.byForm[form]), form: 'signature', token: null }))
      : [];
const each =
  (pick: Pick) =>
  (operation: AnyOperation): TestCaller[] => [...bearing(pick)(operation), ...signing(pick)(operation)];
const bearer = (token: string): TestCaller => ({ form: 'api_key', token, signer: callers.admin.signer });
const unless = (exempt: boolean, expected: Expected): Expected | null => (exempt ? null : expected);

/** What the chain holds is the same for everybody. */
/** The same for all accounts: what is on the chain, and the models. */
const ofEverybody = ({ path }: AnyOperation) =>
  path.startsWith('/v1/ai/models/') ||
  /^\/api\/v1\/(bitcoin\/(blocks|headers|mempool|transactions)|blockchain\/(block|transaction))\//.test(path) ||
  ofAnyAddress(path);
/** Every address may be asked about and scanned for; the scans are their account's. */
const ofAnyAddress = (path: string) => path.includes('{address}') && !path.includes('{scan_id}');

const ROWS: readonly Row[] = [
  {
    name: 'no credential',
    expected: (operation) => unless(!guarded(operation), { ...UNAUTHORIZED, says: /credential/ }),
    callers: () => [NOBODY],
  },
  {
    name: 'a malformed credential',
    expected: (operation) => unless(!guarded(operation), UNAUTHORIZED),
    callers: () => ['x', 'ak_short', 'a.b', 'a.b.c', 'ak_00000000_', `ak_${'0'.repeat(52)}`].map(bearer),
  },
  {
    name: 'another scheme',
    expected: (operation) => unless(!guarded(operation), UNAUTHORIZED),
    callers: () => [NOBODY],
    sending: { headers: { authorization: 'Basic YTpi' } },
  },
  {
    name: 'a key that nobody made',
    expected: (operation) => unless(!guarded(operation), UNAUTHORIZED),
    callers: () => [bearer(`ak_00000000_${'0'.repeat(43)}`)],
  },
  {
    name: 'a credential of another form',
    expected: (operation) => unless(!guarded(operation), UNAUTHORIZED),
    callers: (operation) => [
      ...FORMS.filter(([form]) => !formsOf(operation).includes(form)).map(([, those]) => those.valid),
      ...(formsOf(operation).includes('signature') ? [] : [callers.signature]),
    ],
  },
  {
    name: 'an expired credential',
    expected: (operation) => unless(!guarded(operation), { ...UNAUTHORIZED, says: /expired/ }),
    // Of a person the token has, and not the session.
    callers: (operation) => [
      ...bearing((those) => those.expired)(operation),
      ...signing((those) => those.expired, ['api_key'])(operation),
    ],
  },
  {
    name: 'a revoked credential',
    expected: (operation) => unless(!guarded(operation), { ...UNAUTHORIZED, says: /revoked|no access/ }),
    callers: bearing((those) => those.revoked),
  },
  {
    name: 'a key of a revoked credential, which signs alone',
    expected: (operation) =>
      unless(!formsOf(operation).includes('signature'), { status: 401, slug: 'signature_invalid', says: /revoked/ }),
    callers: signing((those) => those.revoked, ['api_key']),
  },
  {
    name: 'a key of a person whose session ended, which signs alone',
    expected: (operation) =>
      unless(!formsOf(operation).includes('signature'), { ...UNAUTHORIZED, says: /no session lives/ }),
    callers: signing((those) => those.revoked, ['user_token']),
  },
  {
    name: 'a credential without the scope',
    expected: (operation) => unless(!guarded(operation) || ofOneself(operation), { ...FORBIDDEN, says: /scope/ }),
    callers: (operation) =>
      ofPlatform(operation) ? [callers.platformScopeless] : each((those) => those.scopeless)(operation),
  },
  {
    name: 'a credential below the role',
    expected: (operation) =>
      unless(!guarded(operation) || ofOneself(operation) || roleOf(operation) === 'viewer', {
        ...FORBIDDEN,
        says: ofPlatform(operation) ? /administrators/ : /role/,
      }),
    callers: each((those) => those.viewer),
  },
  {
    name: "an administrator that is not the platform's",
    expected: ({ access }) => unless(access === 'public' || !access.platform, FORBIDDEN),
    callers: each((those) => those.valid),
  },
  {
    name: 'a frozen account',
    expected: (operation) => unless(!modifies(operation) || ofPlatform(operation), { ...FORBIDDEN, says: /frozen/ }),
    callers: each((those) => those.valid),
    around: whileFrozen,
  },
  {
    name: 'another account',
    expected: (operation) =>
      unless(
        !guarded(operation) || !operation.path.includes('{') || ofPlatform(operation) || ofEverybody(operation),
        NOT_FOUND,
      ),
    callers: each((those) => those.otherAccount),
  },
  {
    name: 'no signature',
    expected: (operation) => unless(!mustSign(operation), { status: 401, slug: 'signature_missing' }),
    callers: (operation) =>
      bearing((those) => those.valid)(operation).map((one) => (ofPlatform(operation) ? callers.platform : one)),
    sending: { sign: false },
  },
];

/** Works on nothing but the asking person's own, so that role and scope do not matter. */
function ofOneself({ access }: AnyOperation): boolean {
  return access !== 'public' && access.own === true;
}

function ofPlatform({ access }: AnyOperation): boolean {
  return access !== 'public' && access.platform === true;
}

async function whileFrozen(ask: () => Promise<void>): Promise<void> {
  const { store } = world.service.app;
  await store.write((tx) => tx.accounts.freeze(callers.accountId, world.now(), 'a test'));
  try {
    await ask();
  } finally {
    await store.write((tx) => tx.accounts.unfreeze(callers.accountId));
  }
}

function assertAnswer(
  operation: AnyOperation,
  answer: TestAnswer,
  { status, slug, says }: Expected,
  row: string,
): void {
  const where = `${operation.id} with ${row}: ${answer.text.slice(0, 200)}`;
  expect(answer.status, where).toBe(status);
  expect(check(operation, answer), where).toBeNull();
  if (slug !== undefined) expect(refusalIn(answer)?.slug, where).toBe(slug);
  if (says !== undefined) expect(answer.body?.error?.message ?? answer.body?.message, where).toMatch(says);
  if (status === 401) expect(answer.headers['www-authenticate'], where).toBeTruthy();
}

/** Refusals of outsiders are recorded up to a number each minute: so many operations have more than a minute's. */
const BETWEEN_OPERATIONS_MS = 1_500;

/** How many times each row was asked of each operation. */
const asked = new Map<string, number>();

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('refuses whom it must, and serves whom it may', async () => {
    world.advance(BETWEEN_OPERATIONS_MS);
    const built = await world.fresh(operation);
    for (const row of ROWS) {
      const expected = row.expected(operation);
      if (expected === null) continue;
      const ask = async () => {
        for (const caller of row.callers(operation)) {
          const { slug = 'done', status } = expected;
          const recorded = database.recorded(id, slug);
          const answer = await world.send(built, caller, row.sending);
          assertAnswer(operation, answer, expected, `${row.name} (${caller.form})`);
          // Every denied request is on the record; of others those that modify.
          const kept = status === 401 || status === 403 || modifies(operation) ? 1 : 0;
          expect(database.recorded(id, slug) - recorded, `${id} with ${row.name}: audit records`).toBe(kept);
          asked.set(`${id} ${row.name}`, (asked.get(`${id} ${row.name}`) ?? 0) + 1);
        }
      };
      await (row.around?.(ask) ?? ask());
    }
    await built.after();
    for (const caller of right(operation)) {
      const one = await world.fresh(operation);
      await serve(operation, one, one.caller ?? caller);
    }
    asked.set(`${id} right`, right(operation).length);
  });
});

const right = (operation: AnyOperation): readonly TestCaller[] => {
  if (!guarded(operation)) return [NOBODY];
  if (ofPlatform(operation)) return [callers.platform];
  // What a recipe prepares for whoever asks, it prepares for the API key.
  const valid: Pick = (those) => those.valid;
  return [...bearing(valid)(operation), ...signing(valid, ['api_key'])(operation)];
};

async function serve(operation: AnyOperation, built: BuiltRequest, caller: TestCaller): Promise<void> {
  try {
    const rights = () => JSON.stringify(database.contents(RIGHTS_TABLES));
    const before = rights();
    const answer = await world.send(built, caller);
    if (modifies(operation) && !ofOneself(operation) && rights() !== before) {
      expect(
        RIGHTS_OPERATIONS,
        'it changes who may do what: name it, so that the matrix of rights covers it',
      ).toHaveProperty([operation.id]);
    }
    const { status, slug }: Expected = ELSEWHERE_DONE[operation.id] ?? { status: operation.success.status };
    const expected = slug === undefined ? { status } : { status, slug };
    assertAnswer(operation, answer, expected, `the right caller (${caller.form})`);
  } finally {
    await built.after();
  }
}

describe('the matrix', () => {
  it('left out no operation and no row', () => {
    for (const operation of operations) {
      const rows = ROWS.filter((row) => row.expected(operation) !== null && row.callers(operation).length > 0);
      for (const { name } of [...rows, { name: 'right' }]) {
        expect(asked.get(`${operation.id} ${name}`), `${operation.id}: ${name}`).toBeGreaterThan(0);
      }
    }
    for (const [id, { test }] of Object.entries(ELSEWHERE_DONE)) {
      expect(operations.some((operation) => operation.id === id)).toBe(true);
      expect(readFileSync(test, 'utf8')).toMatch(/expect/);
    }
    expect(asked.size).toBeGreaterThan(operations.length * 4);
  });
});
