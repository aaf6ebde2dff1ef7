/** A careless declaration stops the boot with a sentence that names the operation. */
import Fastify, { type FastifyInstance } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { booleanQuery } from '../../src/families/fields.ts';
import { assertDeclaration, assertDistinct } from '../../src/hooks/declaration-rules.ts';
import { declarations, familyPlugin } from '../../src/hooks/family.ts';
import { type AnyOperation, operation } from '../../src/hooks/operation.ts';
import { registerOperations } from '../../src/hooks/register-operations.ts';

const WRITE: AnyOperation = operation({
  id: 'signing-key.rotate',
  family: 'c',
  method: 'POST',
  path: '/api/v1/signing-keys/{key_id}/rotate',
  summary: 'A test',
  tag: 'Test',
  effect: 'write',
  access: { scope: 'signing-keys:write', role: 'admin' },
  changesRules: false,
  limitClass: 'standard',
  idempotent: true,
  params: z.strictObject({ key_id: z.string() }),
  success: { status: 200, description: 'Done', schema: z.object({}) },
  errors: [],
  run: async () => ({}),
  present: (result) => result,
});
const { changesRules: _, ...SILENT } = WRITE;
const READ: AnyOperation = {
  ...SILENT,
  id: 'signing-key.get',
  method: 'GET',
  path: '/api/v1/signing-keys/{key_id}',
  effect: 'read',
  access: { scope: 'signing-keys:read', role: 'viewer' },
  idempotent: false,
};
const secrets = z.strictObject({ name: z.string(), new_password: z.string().optional() });

const WRONG: [string, AnyOperation, RegExp][] = [
  ['an id without a verb', { ...WRITE, id: 'rotate' }, /^operation rotate: an id is <noun>\.<verb>/],
  ['an id with capitals', { ...WRITE, id: 'signingKey.rotate' }, /an id is/],
  ['a path in camel case', { ...WRITE, path: '/api/v1/signingKeys/{key_id}' }, /segment "signingKeys"/],
  [
    'a path parameter that is not checked',
    { ...WRITE, params: z.strictObject({ id: z.string() }) },
    /names \(key_id\) but params checks \(id\)/,
  ],
  ['a path parameter without params', { ...WRITE, params: undefined }, /but params checks \(\)/],
  ['a GET that writes', { ...READ, effect: 'write', idempotent: true }, /GET changes nothing/],
  ['a DELETE that reads', { ...READ, method: 'DELETE' }, /DELETE does not only read/],
  [
    'a PUT that computes',
    { ...WRITE, method: 'PUT', effect: 'compute', idempotent: false },
    /PUT has the effect write/,
  ],
  ['a write that does not say whether it changes rules', SILENT, /says what it changes of who may decide/],
  ['a read that changes rules', { ...READ, changesRules: { present: (it) => it } }, /only what writes changes rules/],
  [
    'a payment that does not say what it spends',
    { ...WRITE, path: '/api/v1/wallets/{key_id}', access: { scope: 'wallets:write', role: 'operator' } },
    /what writes wallets says what it spends/,
  ],
  ['a read that spends', { ...READ, spends: [] }, /only what writes spends/],
  ['a write without retries', { ...WRITE, idempotent: false }, /a retry must be safe/],
  ['a read that keeps answers', { ...READ, idempotent: true }, /only what writes keeps/],
  [
    'an undeclared dry run',
    { ...WRITE, query: z.strictObject({ dry_run: booleanQuery.default(false) }) },
    /belong together/,
  ],
  ['a dry run without its parameter', { ...WRITE, dryRun: true }, /belong together/],
  [
    'a public operation with credentials',
    { ...READ, access: 'public', credentials: ['api_key'] },
    /takes no credential/,
  ],
  [
    'a scope of another form',
    { ...READ, access: { scope: 'signing_keys:read', role: 'viewer' } },
    /the scope "signing_keys:read"/,
  ],
  [
    'a write with a scope to read',
    { ...WRITE, access: { scope: 'signing-keys:read', role: 'admin' } },
    /writes needs a scope to write/,
  ],
  ['the scope of another noun', { ...READ, access: { scope: 'wallets:read', role: 'viewer' } }, /noun "wallets"/],
  [
    "the platform's for operators",
    { ...WRITE, access: { scope: 'signing-keys:write', role: 'operator', platform: true } },
    /for administrators/,
  ],
  [
    'own with another parameter',
    { ...WRITE, access: { scope: 'signing-keys:write', role: 'admin', own: 'user_id' } },
    /own names "user_id"/,
  ],
  [
    'own without people',
    { ...WRITE, access: { scope: 'signing-keys:write', role: 'admin', own: 'key_id' }, credentials: ['api_key'] },
    /takes no user_token/,
  ],
  ['no credential at all', { ...READ, credentials: [] }, /nobody could call it/],
  ["another family's credential", { ...READ, credentials: ['signature'] }, /does not take the credential signature/],
  ['an export of standard class', { ...READ, path: '/api/v1/signing-keys/{key_id}/export' }, /of bulk class/],
  ['a bulk class elsewhere', { ...READ, limitClass: 'bulk' }, /of bulk class/],
  ['a vote of standard class', { ...WRITE, path: '/v1/signing-keys/{key_id}/vote' }, /of voting class/],
  ['no limit where a credential is needed', { ...READ, limitClass: 'none' }, /only what is public/],
  ['a password not marked', { ...WRITE, body: secrets }, /its body has new_password: it needs secretBody/],
  ['a password in a body that may be missing', { ...WRITE, body: secrets.nullish() }, /it needs secretBody/],
  [
    'a password in one of several bodies',
    { ...WRITE, body: z.union([z.strictObject({}), secrets]) },
    /it needs secretBody/,
  ],
  ...['descriptor', 'descriptors', 'private_key'].map((name): [string, AnyOperation, RegExp] => [
    `${name} not marked`,
    { ...WRITE, body: z.strictObject({ [name]: z.string().optional() }) },
    new RegExp(`its body has ${name}: it needs secretBody`),
  ]),
  [
    'keys that are computed with, not marked',
    {
      ...WRITE,
      method: 'POST',
      effect: 'compute',
      idempotent: false,
      body: z.strictObject({ public_keys: z.string() }),
    },
    /its body has public_keys: it needs secretBody/,
  ],
  [
    'a secret in a kept answer that is not marked',
    {
      ...WRITE,
      success: { ...WRITE.success, schema: z.object({ of: z.object({ reset_token: z.string() }).nullable() }) },
    },
    /its kept answer has reset_token: it needs secretAnswer/,
  ],
  ['a secret answer that is not kept', { ...READ, secretAnswer: true }, /a kept answer that it does not have/],
  [
    'a large body of whoever sends one',
    { ...WRITE, access: 'public', body: z.strictObject({ name: z.string() }) },
    /its bodies may have 16384 bytes/,
  ],
  ['a secret body that is not there', { ...WRITE, secretBody: true }, /a body that it does not have/],
  ['a GET with a body', { ...READ, body: z.strictObject({}) }, /a GET has no body/],
  ['a large body', { ...WRITE, body: z.strictObject({}), bodyLimit: 2 ** 24 }, /1048576 bytes/],
];

describe('a declaration', () => {
  it.each([WRITE, READ])('that says all is taken: $id', (given) => {
    expect(() => assertDeclaration(given)).not.toThrow();
  });

  it.each(WRONG)('with %s is refused by name', (_, given, message) => {
    expect(() => assertDeclaration(given)).toThrow(message);
    expect(() => assertDeclaration(given)).toThrow(`operation ${given.id}: `);
  });

  it('stops the boot where it is wrong', () => {
    const app = Fastify() as unknown as FastifyInstance;
    const deps = { idempotency: {} as never, fingerprints: {} as never };
    expect(() => registerOperations(app, [{ ...WRITE, idempotent: false }], deps)).toThrow(
      /^operation signing-key\.rotate: /,
    );
  });

  it('stops the boot where another family has its id', async () => {
    const app = Fastify() as unknown as FastifyInstance;
    await app.register(fp(async () => {}, { name: 'hook-layer' }));
    await app.register(declarations, { idempotency: {} as never, fingerprints: {} as never });
    await app.register(familyPlugin({ name: 'one', tags: {}, operations: () => [WRITE] }), {});
    const other = familyPlugin({ name: 'other', tags: {}, operations: () => [WRITE] });
    await expect(async () => app.register(other, {})).rejects.toThrow(/are both signing-key\.rotate/);
    await app.close();
  });

  it('shares neither id nor method and path with another', () => {
    expect(() => assertDistinct([WRITE, READ])).not.toThrow();
    expect(() => assertDistinct([READ, { ...WRITE, id: READ.id }])).toThrow(/both signing-key\.get/);
    const renamed = { ...READ, id: 'signing-key.show', path: '/api/v1/signing-keys/{id}' };
    expect(() => assertDistinct([READ, renamed])).toThrow(/signing-key\.get and signing-key\.show are both GET/);
  });
});
