import { psbtToBase64 } from '../codec/psbt-text.ts';
import { type InspectionRequest, inspectPsbt } from '../inspection/inspect-psbt.ts';
import type { PsbtView } from '../inspection/psbt-view.ts';
import type { Psbt, PsbtV2 } from '../psbt.ts';
import { requireUsualSize } from '../psbt-size.ts';

/** A PSBT and what it says, as plain data: nothing in it but structured clone takes it to another thread as it is. */
export interface PsbtData {
  /** Base64. */
  readonly text: string;
  /** Of the PSBT in the text; the view is of version 2 always. */
  readonly version: Psbt['version'];
  readonly view: PlainPsbtView;
}

type PlainPsbtView = Omit<PsbtView, 'psbt'>;

/** Throws `too_large`, and as inspectPsbt does. */
export function inspectToData(psbt: PsbtV2, request: InspectionRequest): PsbtData {
  requireUsualSize(psbt);
  return psbtData(inspectPsbt(psbt, request).view);
}

/** `psbt` in the place of the view's own: the same in another version. */
export function psbtData({ psbt: own, ...view }: PsbtView, psbt: Psbt = own): PsbtData {
  return { text: psbtToBase64(psbt), version: psbt.version, view };
}
