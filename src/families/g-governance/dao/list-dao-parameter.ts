import { z } from 'zod';
import { type ParameterRule, parameterRules } from '../../../core/governance/parameters.ts';
import { operation } from '../../../hooks/operation.ts';
import type { DaoRecord } from '../../../services/governance/daos.ts';
import type { Governance } from '../../../services/governance/index.ts';
import { answer, unnamedAnswer } from '../../answer.ts';

const value = z.union([z.number(), z.string(), z.boolean()]);

const parameter = answer('DaoParameter', {
  name: z.string(),
  value,
  default: value,
  type: z.enum(['number', 'integer', 'tokens', 'boolean']),
  unit: z.string().nullable(),
  minimum: value.nullable(),
  maximum: value.nullable(),
  meaning: z.string(),
});

const daoParameters = unnamedAnswer({ parameters: z.array(parameter.schema) });

const shown = ({ parameters }: DaoRecord, rules: readonly ParameterRule[]) => ({
  parameters: rules.map((rule) => ({ ...rule, value: parameters[rule.name] })),
});

export const listDaoParameter = ({ daos, network }: Governance) =>
  operation({
    id: 'dao-parameter.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/dao/parameters',
    summary: 'Parameters of the DAO',
    description: 'The value of each, its bounds, its unit and what it means.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    success: { status: 200, answer: daoParameters, description: 'All parameters' },
    example: {
      response: {
        parameters: [
          {
            ...{ name: 'quorum_percent', value: 20, default: 20, type: 'integer', unit: 'percent' },
            ...{ minimum: 0, maximum: 100 },
            meaning: 'Share of all voting power at the snapshot that has to vote for the result to count.',
          },
        ],
      },
    },
    run: async (_, { accountId }) => shown(await daos.of(accountId), parameterRules(network)),
  });
