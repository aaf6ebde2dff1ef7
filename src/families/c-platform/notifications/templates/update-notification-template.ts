import { operation } from '../../../../hooks/operation.ts';
import type { TemplateService } from '../../../../services/notifications/template-service.ts';
import { omitUndefined } from '../../../optional-values.ts';
import { changedTemplateBody, template, templateExample, templateParams } from './template-fields.ts';

export const updateNotificationTemplate = (templates: TemplateService) =>
  operation({
    id: 'notification-template.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/notifications/templates/{template_id}',
    summary: 'Change a template of notifications',
    description: 'What was sent by it stays as it was.',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    params: templateParams,
    body: changedTemplateBody,
    success: { status: 200, answer: template, description: 'The template' },
    errors: ['not_found', 'forbidden', 'invalid_value', 'already_exists'],
    example: {
      params: { template_id: templateExample.template_id },
      body: { name: 'renamed' },
      response: { ...templateExample, name: 'renamed' },
    },
    run: ({ params, body }, context) => templates.update(params.template_id, omitUndefined(body), context),
  });
