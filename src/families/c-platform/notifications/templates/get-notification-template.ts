import { operation } from '../../../../hooks/operation.ts';
import type { TemplateService } from '../../../../services/notifications/template-service.ts';
import { template, templateExample, templateParams } from './template-fields.ts';

export const getNotificationTemplate = (templates: TemplateService) =>
  operation({
    id: 'notification-template.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/templates/{template_id}',
    summary: 'A template of notifications',
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'viewer' },
    params: templateParams,
    success: { status: 200, answer: template, description: 'The template' },
    errors: ['not_found'],
    example: { params: { template_id: templateExample.template_id }, response: templateExample },
    run: ({ params }, context) => templates.get(params.template_id, context),
  });
