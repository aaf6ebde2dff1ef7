import { operation } from '../../../../hooks/operation.ts';
import type { ConfigManagement } from '../../../../services/policies/manage-config.ts';
import { config, configExample, configTag } from './config-answer.ts';

export const getEnterpriseConfig = (configs: ConfigManagement) =>
  operation({
    id: 'enterprise-config.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/config',
    summary: 'What holds for all rules',
    tag: 'Policies',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    success: { status: 200, answer: config, etag: configTag, description: 'The config' },
    example: { response: configExample },
    run: (_, context) => configs.get(context),
  });
