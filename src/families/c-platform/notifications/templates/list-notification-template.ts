import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TemplateService } from '../../../../services/notifications/template-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { template, templateExample } from './template-fields.ts';

export const listNotificationTemplate = (templates: TemplateService) =>
  operation({
    id: 'notification-template.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/templates',
    summary: "The account's templates of notifications",
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(template), description: 'A page of templates, newest first' },
    example: { query: { limit: '20' }, response: pageExample(templateExample) },
    run: ({ query }, context) => templates.list(pageOf(query), context),
  });
