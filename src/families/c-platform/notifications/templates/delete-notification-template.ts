import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TemplateService } from '../../../../services/notifications/template-service.ts';
import { templateExample, templateParams } from './template-fields.ts';

export const deleteNotificationTemplate = (templates: TemplateService) =>
  operation({
    id: 'notification-template.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/notifications/templates/{template_id}',
    summary: 'Delete a template of notifications',
    description: 'What was sent by it stays as it was.',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    params: templateParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'forbidden'],
    example: { params: { template_id: templateExample.template_id } },
    run: async ({ params }, context): Promise<null> => {
      await templates.delete(params.template_id, context);
      return null;
    },
    present: () => undefined,
  });
