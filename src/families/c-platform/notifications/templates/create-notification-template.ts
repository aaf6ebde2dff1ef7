import { operation } from '../../../../hooks/operation.ts';
import type { TemplateService } from '../../../../services/notifications/template-service.ts';
import { newTemplateBody, template, templateExample } from './template-fields.ts';

export const createNotificationTemplate = (templates: TemplateService) =>
  operation({
    id: 'notification-template.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/notifications/templates',
    summary: 'Make a template of notifications',
    description:
      'Markdown with placeholders such as `{{amount}}`, each of a type. What data says is escaped. See [notifications](/docs/notifications).',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    body: newTemplateBody,
    success: { status: 201, answer: template, description: 'The template' },
    errors: ['invalid_value', 'already_exists', 'policy_refused'],
    example: {
      body: {
        ...{ name: templateExample.name, subject: templateExample.subject, body: templateExample.body },
        placeholders: templateExample.placeholders,
      },
      response: templateExample,
    },
    run: ({ body }, context) => templates.create(body, context),
  });
