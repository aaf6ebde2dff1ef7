import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { oracleExample } from './oracle-examples.ts';
import { CHANGES_ORACLES, namesFields, oracle, publicKeyField, urlField } from './oracle-fields.ts';

export const createOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.create',
    spends: [],
    path: '/api/v1/dlc/oracles',
    summary: 'Register an oracle, or create a local one',
    description:
      'With `type: "local"` a key is made here, which signs announcements and attestations and is never shown. Otherwise an oracle of ' +
      'somebody else is registered by its public key; with a URL its announcements and attestations are fetched from there.',
    body: z
      .strictObject({
        ...namesFields,
        type: z
          .enum(['local', 'external'])
          .default('external')
          .meta({ description: 'local: with a key of its own, here' }),
        public_key: publicKeyField.optional(),
        url: urlField.optional(),
      })
      .superRefine(({ type, public_key, url }, context) => {
        const issue = (field: string, message: string) =>
          context.addIssue({ code: 'custom', path: [field], message, input: '' });
        if (type === 'external' && public_key === undefined) issue('public_key', 'is required, unless type is local');
        if (type === 'local' && public_key !== undefined) issue('public_key', 'is made here where type is local');
        if (type === 'local' && url !== undefined) issue('url', 'is for oracles of others: a local one is asked here');
      }),
    success: { status: 201, answer: oracle, description: 'The oracle' },
    errors: ['invalid_key', 'already_exists'],
    example: {
      body: { name: oracleExample.name, public_key: oracleExample.public_key, url: oracleExample.url },
      response: oracleExample,
    },
    run: ({ body: { name, external_id, type, public_key: publicKey, url } }, context) => {
      const names = { name, ...(external_id != null && { externalId: external_id }) };
      return type === 'local'
        ? oracles.createLocal(names, context)
        : oracles.register({ ...names, publicKey: publicKey as string, url }, context);
    },
  });
