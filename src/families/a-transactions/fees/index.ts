import type { AnyOperation } from '../../../hooks/operation.ts';

import type { FeeService } from '../../../services/fees/index.ts';
import { estimateFee } from './estimate-fee.ts';

export const feeOperations = ({ fees }: { fees: FeeService }): AnyOperation[] => [estimateFee(fees)];
