import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import { getAddressOperation } from './get-address.ts';
import { validateAddressOperation } from './validate-address.ts';

export const addressOperations = (services: { network: Network }): AnyOperation[] => [
  validateAddressOperation(services),
  getAddressOperation(services),
];
