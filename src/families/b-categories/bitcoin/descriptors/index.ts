import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import { checksumDescriptorOperation } from './checksum-descriptor.ts';
import { deriveDescriptorOperation } from './derive-descriptor.ts';
import { inferDescriptorOperation } from './infer-descriptor.ts';
import { parseDescriptorOperation } from './parse-descriptor.ts';

export const descriptorOperations = (services: { network: Network }): AnyOperation[] => [
  parseDescriptorOperation(services),
  checksumDescriptorOperation(),
  deriveDescriptorOperation(services),
  inferDescriptorOperation(services),
];
