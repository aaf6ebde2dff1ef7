import type { AnyOperation } from '../../../hooks/operation.ts';
import type { IdempotencyService } from '../../../services/requests/idempotency.ts';
import { getIdempotency } from './get-idempotency.ts';

export const idempotencyOperations = (services: { idempotency: IdempotencyService }): AnyOperation[] => [
  getIdempotency(services.idempotency),
];
