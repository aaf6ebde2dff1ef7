import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import { assembleScriptOperation } from './assemble-script.ts';
import { classifyScriptOperation } from './classify-script.ts';
import { disassembleScriptOperation } from './disassemble-script.ts';

export const scriptOperations = (services: { network: Network }): AnyOperation[] => [
  disassembleScriptOperation(),
  assembleScriptOperation(),
  classifyScriptOperation(services),
];
