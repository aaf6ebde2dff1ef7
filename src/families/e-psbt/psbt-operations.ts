import type { AnyOperation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { combinePsbt } from './combine-psbt.ts';
import { constructPsbt } from './construct-psbt.ts';
import { createPsbt } from './create-psbt.ts';
import { decodePsbt } from './decode-psbt.ts';
import { extractPsbt } from './extract-psbt.ts';
import { finalizePsbt } from './finalize-psbt.ts';
import { framesPsbt } from './frames-psbt.ts';
import { joinPsbt } from './join-psbt.ts';
import { migratePsbt } from './migrate-psbt.ts';
import { scanPsbt } from './scan-psbt.ts';
import { signPsbt } from './sign-psbt.ts';
import { updatePsbt } from './update-psbt.ts';
import { verifyPsbt } from './verify-psbt.ts';

export const psbtOperations = ({ psbts }: { psbts: PsbtService }): AnyOperation[] => [
  createPsbt(psbts),
  constructPsbt(psbts),
  updatePsbt(psbts),
  signPsbt(psbts),
  combinePsbt(psbts),
  joinPsbt(psbts),
  finalizePsbt(psbts),
  extractPsbt(psbts),
  decodePsbt(psbts),
  verifyPsbt(psbts),
  migratePsbt(psbts),
  framesPsbt(),
  scanPsbt(),
];
