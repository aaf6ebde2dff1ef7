import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { SigningKeyManagement } from '../../../services/credentials/manage-signing-keys.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { CREDENTIAL_KINDS, signingKey, signingKeyExample } from './signing-key-answer.ts';

const query = z
  .strictObject({
    ...pageQuery,
    credential_kind: z.enum(CREDENTIAL_KINDS).optional(),
    credential_id: z.string().min(1, 'must not be empty').max(100).optional(),
    revoked: booleanQuery.optional(),
  })
  .superRefine(({ credential_kind: kind, credential_id: id }, context) => {
    if ((kind === undefined) === (id === undefined)) return;
    const path = [kind === undefined ? 'credential_kind' : 'credential_id'];
    context.addIssue({ code: 'custom', path, message: 'goes with the other: credential_kind and credential_id' });
  });

export const listSigningKey = (signingKeys: SigningKeyManagement) =>
  operation({
    id: 'signing-key.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/signing-keys',
    summary: "The keys that sign for the account's credentials",
    description:
      'Revoked ones, too; revoked=false leaves them out. Of one credential: credential_kind and credential_id.',
    tag: 'Signing keys',
    effect: 'read',
    access: { scope: 'signing-keys:read', role: 'viewer' },
    query,
    success: { status: 200, answer: paginated(signingKey), description: 'A page of keys, newest first' },
    example: {
      query: { limit: '20', revoked: 'false' },
      response: pageExample(signingKeyExample),
    },
    run: ({ query: { credential_kind: kind, credential_id: id, revoked, ...page } }, context) => {
      const owner = kind === undefined || id === undefined ? undefined : { kind, id };
      return signingKeys.page(omitUndefined({ owner, revoked }), pageOf(page), context);
    },
  });
