import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { createTaprootOutput } from './create-taproot-output.ts';
import { deleteTaprootOutput } from './delete-taproot-output.ts';
import { getTaprootOutput } from './get-taproot-output.ts';
import { listTaprootOutput } from './list-taproot-output.ts';
import { previewTaprootOutput } from './preview-taproot-output.ts';
import { updateTaprootOutput } from './update-taproot-output.ts';

export const outputOperations = (taproot: TaprootService): AnyOperation[] => [
  createTaprootOutput(taproot.outputs),
  previewTaprootOutput(taproot),
  listTaprootOutput(taproot.outputs),
  getTaprootOutput(taproot.outputs),
  updateTaprootOutput(taproot.outputs),
  deleteTaprootOutput(taproot.outputs),
];
