import { changedWorkflows } from '../chaos/build-copy.ts';

/** The beginning of a workflow's function in a bundle, and the name of the SDK's module above it. */
const begins = /^async function (\w+)Workflow\([^)]*\) \{$/gm;
const sdkModule = /var (_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__) = __webpack_require__/g;

/** The argument of the command that only the other build has. */
const memo = "{ build: 'other' }";

/** Whether a line of a bundle is the command that only the other build has. */
export const isOtherCommand = (line: string): boolean => line.endsWith(`.upsertMemo(${memo});`);

/**
 * Returns the bundle of another build: like the chaos harness's other build, each workflow of it has one more
 * command at its start, so that no open run of one build replays in the other.
 */
export function withOneCommandMore(bundle: string): string {
  let places = 0;
  const changed = bundle.replace(begins, (beginning, name: string, at: number) => {
    if (!['payment', 'refund', 'dispute', 'sandbox', 'deliverWebhook'].includes(name)) return beginning;
    const module = [...bundle.slice(0, at).matchAll(sdkModule)].at(-1)?.[1];
    if (module === undefined) throw new Error(`the workflow ${name} imports no module of the SDK`);
    places += 1;
    return `${beginning}\n    ${module}.upsertMemo(${memo});`;
  });
  if (places !== changedWorkflows.length)
    throw new Error(`workflows begin in ${places} places instead of ${changedWorkflows.length}`);
  return changed;
}
